import { createHash } from 'node:crypto'

type Locked = {
  name?: string
  version?: string
  integrity?: string
  license?: string
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
export type Lock = { version?: string; packages: Record<string, Locked> }

/** The projects that a release has: the services, the simulator, the set-up, the pages and the SDKs. Tests, benches and examples are not in it. */
const shipped = /^(apps|sdks)\/|^libs\/(auth|contracts|embedded|http2|service)$|^tools$/

/**
 * Finds the packages of package-lock.json that a release holds, by their paths in it: the projects' dependencies, and development dependencies that a
 * page's sources import, because the pages are bundled.
 */
export function shippedPackages(lock: Lock, isImported: (project: string, name: string) => boolean): Set<string> {
  const found = new Set<string>()
  const add = (from: string, names: Iterable<string>) => {
    for (const name of names) {
      const path = resolve(lock, from, name)
      // Another project of the repository is no package of others; what it needs is added in its own turn.
      if (path === undefined || isProject(path) || found.has(path)) continue
      found.add(path)
      const { dependencies, optionalDependencies, peerDependencies } = lock.packages[path] ?? {}
      add(path, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
    }
  }
  for (const [project, { dependencies, devDependencies }] of Object.entries(lock.packages)) {
    if (!shipped.test(project)) continue
    add(project, Object.keys(dependencies ?? {}))
    add(
      project,
      Object.keys(devDependencies ?? {}).filter((name) => isImported(project, name)),
    )
  }
  return found
}

const isProject = (path: string): boolean => !path.includes('node_modules/')

/** Finds a package as Node does: in the node_modules of the one that asks, then in those above it. */
function resolve({ packages }: Lock, from: string, name: string): string | undefined {
  for (let at = from; ; at = above(at)) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    const there = packages[path]
    if (there) return there.link ? there.resolved : path
    if (at === '') return undefined
  }
}

function above(path: string): string {
  const at = path.lastIndexOf('node_modules/')
  return at <= 0 ? '' : path.slice(0, at - 1)
}

const nameOf = (path: string, { name }: Locked): string => name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Writes a CycloneDX 1.6 bill of materials: every package of the lock file, `required` when a release holds it and `excluded` otherwise. */
export function makeSbom(lock: Lock, required: ReadonlySet<string>, commit: string) {
  const components = new Map<string, { scope: 'required' | 'excluded' } & Record<string, unknown>>()
  for (const [path, locked] of Object.entries(lock.packages)) {
    const { version, integrity, license, link } = locked
    if (isProject(path) || link || version === undefined) continue
    const name = nameOf(path, locked)
    const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
    const scope = required.has(path) || components.get(purl)?.scope === 'required' ? 'required' : 'excluded'
    const [algorithm = '', digest = ''] = integrity?.split('-') ?? []
    components.set(purl, {
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      scope,
      purl,
      ...(algorithm === 'sha512' && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
      ...(license !== undefined && { licenses: [/ (OR|AND) /.test(license) ? { expression: license } : { license: { name: license } }] }),
    })
  }
  const list = [...components.values()]
  const digest = createHash('sha256')
    .update(commit + JSON.stringify(list))
    .digest('hex')
  // The same release gets the same number: a version 8 UUID (RFC 9562) of the commit and the list.
  const uuid = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `a${digest.slice(17, 20)}`, digest.slice(20, 32)].join(
    '-',
  )
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name: 'herald',
        version: lock.version ?? '0',
        properties: [{ name: 'herald:commit', value: commit }],
      },
    },
    components: list,
  }
}

export type Sbom = ReturnType<typeof makeSbom>

/** Names the packages that the bill of materials does not have as part of a release. */
export const missingIn = ({ components }: Sbom, packages: readonly { name: string; version: string }[]): string[] => {
  const there = new Set(
    components.filter(({ scope }) => scope === 'required').map(({ name, version }) => `${String(name)}@${String(version)}`),
  )
  return [...new Set(packages.map(({ name, version }) => `${name}@${version}`))].filter((one) => !there.has(one))
}

type Report = { vulnerabilities?: Record<string, { name: string; severity: string; nodes: string[] }> }

/**
 * Reads the answer of `npm audit --json`. Gives the packages of a release with a high or critical vulnerability; undefined when the registry did not
 * answer the audit.
 */
export function severeIn(answer: string, required: ReadonlySet<string>): string[] | undefined {
  let report: Report
  try {
    report = JSON.parse(answer) as Report
  } catch {
    return undefined
  }
  if (report.vulnerabilities === undefined) return undefined
  return Object.values(report.vulnerabilities)
    .filter(({ severity, nodes }) => /^(high|critical)$/.test(severity) && nodes.some((path) => required.has(path)))
    .map(({ name, severity }) => `${name} (${severity})`)
}
