// A browser's User-Agent also names the browsers that it is like, so those that others are like come last.
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
] as const

/** Names a browser and its system by the User-Agent, such as "Firefox on Linux"; an unknown one by the beginning of its User-Agent. */
export function browserName(userAgent: string): string {
  const browser = browsers.find(([part]) => userAgent.includes(`${part}/`))?.[1] ?? (userAgent.slice(0, 40) || 'Unknown')
  const system = systems.find(([part]) => userAgent.includes(part))?.[1]
  return system === undefined ? browser : `${browser} on ${system}`
}
