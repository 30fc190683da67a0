import { z } from 'zod'

const Entry = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
})
const Lock = z.looseObject({ packages: z.record(z.string(), Entry) })
type Lock = z.infer<typeof Lock>
type Entry = z.infer<typeof Entry>

const systems = ['darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'android', 'openharmony', 'sunos', 'aix'] as const
/** How names of packages write a processor, and how npm writes it. Longer names come first, because `arm64` begins with `arm`. */
const processors = [
  ['arm64', 'arm64'],
  ['aarch64', 'arm64'],
  ['x86_64', 'x64'],
  ['x64', 'x64'],
  ['ia32', 'ia32'],
  ['armv7', 'arm'],
  ['arm', 'arm'],
  ['ppc64', 'ppc64'],
  ['riscv64', 'riscv64'],
  ['s390x', 's390x'],
  ['loong64', 'loong64'],
  ['mips64el', 'mips64el'],
  ['wasm32', 'wasm32'],
] as const

/**
 * Adds to a lock file the optional packages of other platforms that the registry could not serve; `npm ci` of npm 11 refuses a file without them.
 * Gives its text, the added packages, and those whose platform is unknown.
 */
export function completeLock(text: string): { text: string; added: string[]; unknown: string[] } {
  const lock = readLock(text)
  const added: string[] = []
  const unknown: string[] = []
  for (const [place, entry] of Object.entries({ ...lock.packages })) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = [`${place}/node_modules/${name}`, `node_modules/${name}`]
      if (places.some((path) => lock.packages[path] !== undefined)) continue
      const platform = platformOf(name)
      if (platform === undefined) {
        unknown.push(`${name}@${range}`)
        continue
      }
      lock.packages[`node_modules/${name}`] = {
        version: range.replace(/^[\^~]/, ''),
        ...(entry.dev ? { dev: true } : {}),
        optional: true,
        ...platform,
      }
      added.push(name)
    }
  }
  const sorted = Object.entries(lock.packages).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { text: `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`, added, unknown }
}

/** Lists packages for which the lock file names an address. A clone elsewhere could not install them, or would fetch them from an unknown server. */
export function addressesIn(text: string): string[] {
  const { packages } = readLock(text)
  const isBound = (entry: Entry) => entry.resolved !== undefined && entry.link !== true
  return Object.entries(packages).flatMap(([place, entry]) => (isBound(entry) ? [place] : []))
}

/**
 * Reads and checks the lock file. Gives the parsed object itself: its keys must keep npm's order, because otherwise every install would move lines.
 */
function readLock(text: string): Lock {
  const lock: unknown = JSON.parse(text)
  Lock.parse(lock)
  return lock as Lock
}

function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } | undefined {
  const os = name.includes('windows') ? 'win32' : systems.find((system) => name.includes(system))
  const cpu = processors.find(([written]) => name.includes(written))?.[1]
  if (os === undefined && cpu === undefined) return undefined
  const libc = name.includes('musl') ? ['musl'] : os === 'linux' && name.includes('gnu') ? ['glibc'] : undefined
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(os ? { os: [os] } : {}), ...(libc ? { libc } : {}) }
}
