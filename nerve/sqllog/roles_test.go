//go:build linux

package sqllog_test

const roleVariable = "SQLLOG_TEST_ROLE"

func play(role string) int { return 1 }
