package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

func numbers(input string) (list []int) {
	for _, part := range strings.Split(input, ",") {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}

// price: total,quantity

func checkout(input string) error {
	n := numbers(input)
	total := addTax(n[0])
	unit := unitPrice(total, n[1])
	return show(unit)
}

func addTax(total int) int { return total * 6 / 5 }

// BUG: nothing may be bought.
func unitPrice(total, quantity int) int { return total / quantity }

func show(unit int) error {
	if unit < 0 {
		return errors.New("negative")
	}
	return nil
}

// ranges: starts of shifts, in order, of four hours each

func planShifts(input string) error {
	shifts := newShifts(numbers(input))
	return checkShifts(mergeShifts(shifts))
}

func newShifts(starts []int) (shifts [][2]int) {
	for _, s := range starts {
		shifts = append(shifts, [2]int{s, s + 4})
	}
	return shifts
}

// BUG: those that overlap by more than one hour are not joined.
func mergeShifts(shifts [][2]int) (merged [][2]int) {
	for _, s := range shifts {
		if n := len(merged); n > 0 && touches(merged[n-1], s) {
			merged[n-1] = join(merged[n-1], s)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

func touches(a, b [2]int) bool { return b[0] == a[1] || b[0] == a[1]-1 }

func join(a, b [2]int) [2]int { return [2]int{a[0], b[1]} }

func checkShifts(shifts [][2]int) error {
	for i := range shifts {
		if i > 0 && shifts[i][0] < shifts[i-1][1] {
			return errors.New("shifts overlap")
		}
	}
	return nil
}

// date: year,month,day

func book(input string) error {
	n := numbers(input)
	if err := checkMonth(n[1]); err != nil {
		return err
	}
	return checkDay(n[2], daysIn(n[0], n[1]))
}

func checkMonth(m int) error {
	if m < 1 || m > 12 {
		return fmt.Errorf("month %d", m)
	}
	return nil
}

func daysIn(year, month int) int {
	days := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && leap(year) {
		days++
	}
	return days
}

// BUG: every 400 years there is one after all.
func leap(year int) bool { return year%4 == 0 && year%100 != 0 }

func checkDay(day, days int) error {
	if day > days {
		return fmt.Errorf("day %d of %d", day, days)
	}
	return nil
}
