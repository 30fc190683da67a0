import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A place that breaks a rule for citations, with a sentence that says which. */
export type Finding = { file: string; line: number; message: string }

export type Specification = {
  /** The names of all rules, in the order of pages and headings. */
  rules: string[]
  /** Rules that at least one test cites. */
  tested: Set<string>
  citations: number
  findings: Finding[]
}

const pages = 'docs/specification'
const sources = ['{apps,libs,e2e,bench,tools,docs,deploy}/**/*.{ts,tsx,js,mjs,sql,md,yaml,yml,conf}', '*.{md,yml,ts}', 'Dockerfile']
const isIgnored = (name: string): boolean => ['node_modules', 'results', '.nx', 'dist'].includes(basename(name))

const ruleName = '[a-z]+/[a-z0-9]+(?:-[a-z0-9]+)*'
const citation = new RegExp(`\\bspec: (${ruleName}(?:, ${ruleName})*)`, 'g')
/** A citation that is no list of names. Code such as `{ spec: value }` has no slash and is no citation. */
const brokenCitation = /\bspec: ?(?=[\w-]*\/)/
/** A mention of a document by its number instead of its name. */
const numbered = /\b(?:decisions|pattern|path|house|design) \d/
/** A page of this repository. One behind an address of the web is another's. */
const page = /(?<![\w./:-])[\w./-]*\w\.md\b/g

/**
 * Reads the specification's pages and every citation in the files of `sources`, such as `spec: identity/device-limit`. Reports unknown rules,
 * unreadable citations, headings that name no rule or repeat one, and mentions of documents that are missing or numbered.
 */
export function checkSpecification(root: string): Specification {
  const findings: Finding[] = []
  const rules = new Map<string, string>()
  for (const file of globSync(`${pages}/*.md`, { cwd: root }).toSorted()) {
    for (const [line, text] of linesOf(root, file)) {
      const [, name] = /^### (.+)$/.exec(text) ?? []
      if (name === undefined || basename(file) === 'README.md') continue
      const earlier = rules.get(name)
      if (!new RegExp(`^${ruleName}$`).test(name) || !name.startsWith(`${basename(file, '.md')}/`))
        findings.push({ file, line, message: `${name} is no name of a rule of this page: ${basename(file, '.md')}/<words-with-dashes>` })
      else if (earlier !== undefined) findings.push({ file, line, message: `${name} is a rule of ${earlier} already` })
      else rules.set(name, file)
    }
  }

  const tested = new Set<string>()
  let citations = 0
  for (const file of globSync(sources, { cwd: root, exclude: isIgnored }).toSorted()) {
    const isOfPages = file.startsWith(`${pages}/`)
    for (const [line, text] of linesOf(root, file)) {
      const cited = isOfPages ? [] : [...text.matchAll(citation)].flatMap(([, names = '']) => names.split(', '))
      citations += cited.length
      for (const name of cited) {
        if (!rules.has(name)) findings.push({ file, line, message: `${name} is no rule of ${pages}` })
        else if (isTest(file)) tested.add(name)
      }
      if (!isOfPages && cited.length === 0 && brokenCitation.test(text))
        findings.push({ file, line, message: `this is no citation: ${pages}/README.md says how to write one` })
      findings.push(...mentionsIn(root, file, text).map((message) => ({ file, line, message })))
    }
  }
  return { rules: [...rules.keys()], tested, citations, findings }
}

const linesOf = (root: string, file: string): [line: number, text: string][] =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((text, index) => [index + 1, text])

/** Whether a file is a test, or code that only tests use. */
const isTest = (file: string): boolean => /\.test\.ts$|\/testing\/|^e2e\//.test(file)

/** Whether mentions of documents in a text count. They count in pages, in comments and in titles of tests; other code may name files of any kind. */
const isProse = (file: string, text: string): boolean =>
  file.endsWith('.md') || /(?:^|\s)(?:\/\/|\/?\*\*?|--|#)\s|^\s*(?:test|describe)\b/.test(text)

/** Says what is wrong with the documents that a line of prose mentions: a page is not in this repository, or a document is named by its number. */
function mentionsIn(root: string, file: string, text: string): string[] {
  if (!isProse(file, text)) return []
  const found = numbered.exec(text)
  const missing = [...text.matchAll(page)].map(([path]) => path).filter((path) => !isHere(root, file, path))
  return [
    ...(found ? [`"${found[0]}" names no document: name the page and its section`] : []),
    ...missing.map((path) => `${path} is not in the repository`),
  ]
}

/** Whether a page exists: its path may begin at the root, at the file that mentions it, or at docs. */
const isHere = (root: string, file: string, path: string): boolean =>
  [root, join(root, dirname(file)), join(root, 'docs')].some((from) => existsSync(join(from, path)))
