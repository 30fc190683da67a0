/** Writes a duration: "under a second", "40 s", "3 min 20 s", "2 h 5 min", "3 days 4 h". */
export function spanOf(seconds: number): string {
  if (seconds < 1) return 'under a second'
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [days, hours, minutes] = [Math.floor(whole / 86_400), Math.floor((whole % 86_400) / 3_600), Math.floor((whole % 3_600) / 60)]
  const parts: [number, string][] =
    days > 0
      ? [
          [days, days === 1 ? 'day' : 'days'],
          [hours, 'h'],
        ]
      : hours > 0
        ? [
            [hours, 'h'],
            [minutes, 'min'],
          ]
        : [
            [minutes, 'min'],
            [whole % 60, 's'],
          ]
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
