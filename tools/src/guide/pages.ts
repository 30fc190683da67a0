import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'

/** A page of the guide, or another page of docs/. `path` is its path below docs/, such as `guide/web.md`. */
export type Page = { path: string; title: string; text: string; headings: { level: number; text: string; id: string }[] }
/**
 * A block of code on a page, and how it is tested: `run` against a fresh platform, `check` is compiled or parsed, `project` is part of a project in
 * e2e/clients, `show` is not tested.
 */
export type Block = { page: string; line: number; language: string; mark: 'run' | 'check' | 'project' | 'show'; code: string }
/** A link of a page, with its target as the page has it. */
export type Link = { page: string; href: string }

const marks = ['run', 'check', 'project', 'show'] as const
/** The pages of the guide in reading order. A test fails when a page is missing here. */
export const contents: readonly { heading: string; pages: readonly string[] }[] = [
  { heading: 'Begin', pages: ['index', 'quickstart', 'going-live'] },
  { heading: 'Devices', pages: ['web', 'frameworks', 'android', 'ios', 'other-mobile', 'protocol', 'identity'] },
  {
    heading: 'Sending',
    pages: [
      'server',
      'python',
      'go',
      'segments',
      'personalisation',
      'campaigns',
      'recall',
      'experiments',
      'categories',
      'inbox',
      'live-activities',
      'conversions',
    ],
  },
  {
    heading: 'Knowing',
    pages: ['webhooks', 'codes', 'command-line', 'gitops', 'import', 'from-onesignal', 'from-firebase', 'from-web-push'],
  },
]

/**
 * Reads all pages of the guide, and after them the other pages of docs/, of the specification and of the decisions. `root` is the repository's root.
 */
export function readPages(root: string): Page[] {
  const guide = contents.flatMap(({ pages }) => pages.map((name) => `guide/${name}.md`))
  const reference = globSync(['*.md', 'specification/*.md', 'decisions/*.md'], { cwd: join(root, 'docs') }).toSorted()
  return [...guide, ...reference].map((path) => readPage(path, readFileSync(join(root, 'docs', path), 'utf8')))
}

/** The pages directly in docs/ that `npm run docs` writes. */
export const generatedPages: readonly string[] = ['configuration.md', 'metrics.md', 'topology.md']

/** Reads all pages whose blocks of code have a mark: the guide, the README and the reference pages directly in docs/. */
export const readMarkedPages = (root: string): Page[] => {
  const reference = globSync('*.md', { cwd: join(root, 'docs'), exclude: [...generatedPages] }).toSorted()
  const others = ['../README.md', ...reference].map((path) => readPage(path, readFileSync(join(root, 'docs', path), 'utf8')))
  return [...readPages(root).filter(({ path }) => path.startsWith('guide/')), ...others]
}

export function readPage(path: string, text: string): Page {
  const headings = lexer(text)
    .filter((token): token is Tokens.Heading => token.type === 'heading')
    .map(({ depth, tokens }) => ({ level: depth, text: plainText(tokens), id: anchorOf(plainText(tokens)) }))
  const title = headings.find(({ level }) => level === 1)?.text
  if (title === undefined) throw new Error(`docs/${path} has no heading of the first level`)
  return { path, title, text, headings }
}

/** Reads the blocks of a page. Throws an Error that names the line of a block without a language or a mark. */
export function blocksOf({ path, text }: Page): Block[] {
  const blocks: Block[] = []
  let line = 1
  for (const token of lexer(text)) {
    const at = line
    line += token.raw.split('\n').length - 1
    for (const code of codeWithin(token)) {
      const [language = '', mark = ''] = (code.lang ?? '').split(/\s+/)
      const known = marks.find((each) => each === mark)
      if (language === '' || known === undefined)
        throw new Error(`docs/${path}:${at}: a block needs a language and a mark (${marks.join(', ')}), as in \`\`\`sh run`)
      blocks.push({ page: path, line: at, language, mark: known, code: code.text })
    }
  }
  return blocks
}

export const linksOf = ({ path, text }: Page): Link[] =>
  [...tokensWithin(lexer(text))].flatMap((token) =>
    token.type === 'link' || token.type === 'image' ? [{ page: path, href: (token as Tokens.Link).href }] : [],
  )

/**
 * Gives the address of a link's target on the served site. Undefined when the target is a file of the repository that is not served. Throws an Error
 * when the page or the heading does not exist.
 */
export function addressOf({ page, href }: Link, pages: ReadonlyMap<string, Page>): string | undefined {
  if (/^[a-z]+:/.test(href) || href.startsWith('/')) return href
  const [file = '', anchor] = href.split('#')
  const path = file === '' ? page : posix.join(dirname(page), file)
  if (path.startsWith('images/')) return `/docs/guide/${path}`
  const target = pages.get(path)
  if (target === undefined) return path === 'openapi.json' ? '/openapi.json' : undefined
  if (anchor !== undefined && !target.headings.some(({ id }) => id === anchor))
    throw new Error(`docs/${page}: ${href} names no heading of docs/${path}`)
  return `${pathOnSite(path)}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Gives the path of a page on the site: pages of the guide are at the top, all others below `reference`. */
export const pathOnSite = (path: string): string =>
  path === 'guide/index.md'
    ? '/docs/guide/'
    : `/docs/guide/${path.startsWith('guide/') ? path.slice('guide/'.length, -'.md'.length) : `reference/${path.slice(0, -'.md'.length)}`}`

/** Gives the file name of a page in the built site. */
export const fileOnSite = (path: string): string =>
  path === 'guide/index.md' ? 'index.html' : `${pathOnSite(path).slice('/docs/guide/'.length)}.html`

/** Gives the anchor of a heading as GitHub makes it, so that the same link works in the repository and on the site. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const plainText = (tokens: readonly Token[] | undefined): string =>
  (tokens ?? [])
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? String(token.text) : ''))
    .join('')

function* tokensWithin(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token
    if ('tokens' in token && token.tokens) yield* tokensWithin(token.tokens)
    if (token.type === 'list') for (const item of (token as Tokens.List).items) yield* tokensWithin(item.tokens)
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table
      for (const cell of [...header, ...rows.flat()]) yield* tokensWithin(cell.tokens)
    }
  }
}

const codeWithin = (token: Token): Tokens.Code[] => [...tokensWithin([token])].filter((each): each is Tokens.Code => each.type === 'code')
