// Numbers, sizes and times as people read them.

const whole = new Intl.NumberFormat('en');

export const count = n => whole.format(n);

// short is a count with at most three digits: 12.4 M.
export function short(n) {
  const size = Math.abs(n);
  for (const [unit, scale] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]]) {
    if (size >= scale * 0.9995) return `${three(n / scale)} ${unit}`;
  }
  return size >= 100 || Number.isInteger(n) ? String(Math.round(n)) : three(n);
}

const three = v => Number.isInteger(v) ? String(v) : Math.abs(v) >= 99.95 ? v.toFixed(0) : Math.abs(v) >= 9.995 ? v.toFixed(1) : v.toFixed(2);

export function bytes(n) {
  if (Math.abs(n) < 1024) return `${Math.round(n)} B`;
  for (const unit of ['KiB', 'MiB', 'GiB', 'TiB']) {
    n /= 1024;
    if (Math.abs(n) < 1000 || unit === 'TiB') return `${three(n)} ${unit}`;
  }
}

// duration of seconds: 340 µs, 1.2 s, 3 min 20 s, 2 d 4 h.
export function duration(s) {
  if (s === 0) return '0 s';
  if (s < 1e-3) return `${three(s * 1e6)} µs`;
  if (s < 1) return `${three(s * 1e3)} ms`;
  if (s < 60) return `${s < 10 && !Number.isInteger(s) ? s.toFixed(1) : Math.round(s)} s`;
  const [d, hours, min, sec] = [Math.floor(s / 86400), Math.floor(s / 3600) % 24, Math.floor(s / 60) % 60, Math.round(s) % 60];
  if (d) return hours ? `${d} d ${hours} h` : `${d} d`;
  if (hours) return min ? `${hours} h ${min} min` : `${hours} h`;
  return sec ? `${min} min ${sec} s` : `${min} min`;
}

const two = n => String(n).padStart(2, '0');

// clock is a time of this day, or the date before it: the local time zone.
export function clock(text, now = new Date()) {
  const t = new Date(text);
  const time = `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}.${String(t.getMilliseconds()).padStart(3, '0')}`;
  return t.toDateString() === now.toDateString() ? time :
    `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())} ${time}`;
}

// second is a time of day, of seconds of Unix time.
export const second = seconds => {
  const t = new Date(seconds * 1000);
  return `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}`;
};
