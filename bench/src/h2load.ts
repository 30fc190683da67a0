import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Gives the path of h2load (Debian's package nghttp2-client); undefined when it is not installed. */
export const findH2load = (): string | undefined => ['/usr/bin/h2load', '/usr/local/bin/h2load'].find(existsSync)

/**
 * Sends pushes to one APNs device with h2load over one connection. The CPU time of h2load comes from the shell that waits for it. Throws when not
 * every push was accepted.
 */
export function runH2load(
  path: string,
  {
    url,
    token,
    headers,
    bodyFile,
    pushes,
    window,
  }: { url: string; token: string; headers: Record<string, string>; bodyFile: string; pushes: number; window: string },
): { pushesPerSecond: number; cpuMicroseconds: number } {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const all = ['-n', String(pushes), '-c', '1', '-m', window, '-d', bodyFile, ...given, `${url}/3/device/${token}`]
  const { stdout } = spawnSync('bash', ['-c', '"$0" "$@"; times', path, ...all], {
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, LC_ALL: 'C' },
  })
  const rate = Number(/([\d.]+) req\/s/.exec(stdout)?.[1])
  if (!new RegExp(`${pushes} succeeded, 0 failed`).test(stdout)) throw new Error(`h2load: ${stdout.slice(0, 500)}`)
  const times = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  const seconds = times.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0)
  return { pushesPerSecond: Math.round(rate), cpuMicroseconds: (seconds * 1e6) / pushes }
}
