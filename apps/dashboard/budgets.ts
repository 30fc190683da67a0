import { gzipSync } from 'node:zlib'

/** A file of the build, as Vite's manifest describes it. */
export type Built = { file: string; src?: string; isEntry?: boolean; imports?: string[]; css?: string[] }

const kB = 1_000

/**
 * The largest size of each part of the dashboard, in bytes after gzip. A library under `shared` is loaded once for several pages and has its own
 * limit. Only the limit of compose and template includes these libraries.
 */
export const budgets = {
  firstLoad: 190 * kB,
  compose: 100 * kB,
  page: 25 * kB,
  everything: 500 * kB,
  shared: { charts: 28 * kB, forms: 16 * kB, zod: 28 * kB, cmdk: 8 * kB },
} as const

export type Budgeted = { name: string; bytes: number; limit: number }

/** Measures each part of the dashboard and gives its size with its limit. `sizeOf` gives the size of a built file in bytes. */
export function weigh(manifest: Readonly<Record<string, Built>>, sizeOf: (file: string) => number): Budgeted[] {
  const filesOf = (key: string, seen = new Set<string>()): Set<string> => {
    const built = manifest[key]
    if (built === undefined || seen.has(built.file)) return seen
    seen.add(built.file)
    for (const css of built.css ?? []) seen.add(css)
    for (const imported of built.imports ?? []) filesOf(imported, seen)
    return seen
  }
  const weight = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + sizeOf(file), 0)

  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry === true)
  if (entry === undefined) throw new Error('The build has no entry')
  const first = filesOf(entry)
  const isShared = (file: string): boolean => Object.keys(budgets.shared).some((name) => nameOf(file) === name)

  const pages = Object.entries(manifest)
    .filter(([, { src }]) => src !== undefined && /^src\/pages\/.*Page\.tsx$/.test(src))
    .map(([key, { src = '' }]): Budgeted => {
      // The template page loads the editor and the previews of the compose page, so it has the limit of compose.
      const isCompose = /\/(Compose|Template)Page\.tsx$/.test(src)
      const own = [...filesOf(key)].filter((file) => !first.has(file) && (isCompose || !isShared(file)))
      return { name: src, bytes: weight(own), limit: isCompose ? budgets.compose : budgets.page }
    })
  const files = new Set(Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css]))
  const shared = Object.entries(budgets.shared).map(([name, limit]): Budgeted => {
    return { name, bytes: weight([...files].filter((file) => nameOf(file) === name && !first.has(file))), limit }
  })
  return [
    { name: 'the first load', bytes: weight(first), limit: budgets.firstLoad },
    ...pages,
    ...shared,
    { name: 'everything', bytes: weight([...files].filter((file) => /\.(js|css)$/.test(file))), limit: budgets.everything },
  ]
}

/** Gives the name of a built file without its folder and hash: `assets/charts-B2x9.js` becomes `charts`. */
const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/-[\w-]{8}\.\w+$/, '')

/** Gives the size of a file in bytes after gzip. */
export const gzipped = (bytes: Uint8Array): number => gzipSync(bytes, { level: 9 }).length

/**
 * Finds what the gateway's content security policy would refuse in an html page: inline scripts, styles and handlers, and addresses of other origins.
 */
export function refusedOf(html: string): string[] {
  const refused: string[] = []
  for (const [script] of html.matchAll(/<script\b[^>]*>[^<]*/gi))
    if (!/\ssrc=/i.test(script) || !script.trimEnd().endsWith('>')) refused.push(script)
  for (const [style] of html.matchAll(/<style\b[^>]*>/gi)) refused.push(style)
  for (const [attribute] of html.matchAll(/<[^>]+\s(?:style|on\w+)\s*=[^>]*>/gi)) refused.push(attribute)
  for (const [foreign] of html.matchAll(/\s(?:src|href)\s*=\s*["']?(?:https?:)?\/\/[^>\s]*/gi)) refused.push(foreign.trim())
  return refused
}
