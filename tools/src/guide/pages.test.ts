import { existsSync, globSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../workspace.ts'
import { htmlOf } from './html.ts'
import { addressOf, anchorOf, blocksOf, contents, linksOf, readPage, readPages, type Link } from './pages.ts'

const pages = readPages(root)
const byPath = new Map(pages.map((page) => [page.path, page]))
const guide = pages.filter(({ path }) => path.startsWith('guide/'))

test('every page of the guide is in the contents, and has at most 200 lines', () => {
  const listed = contents.flatMap(({ pages: names }) => names).toSorted()

  expect(
    globSync('*.md', { cwd: join(root, 'docs/guide') })
      .map((file) => file.slice(0, -'.md'.length))
      .toSorted(),
  ).toEqual(listed)
  expect(guide.filter(({ text }) => text.split('\n').length > 200).map(({ path }) => path)).toEqual([])
})

test('every block of code in the guide has a mark that says how it is tested', () => {
  const blocks = guide.flatMap(blocksOf)

  expect(blocks.filter(({ mark }) => mark === 'run').length).toBeGreaterThan(20)
  expect(blocks.filter(({ mark }) => mark === 'check').length).toBeGreaterThan(10)
})

test('every block with the mark check is in a language that a test checks', () => {
  // TypeScript and JSON are checked by e2e/tests/guides.test.ts, Kotlin and Swift by e2e/mobile, Go by e2e/clients.
  const checked = new Set(['ts', 'tsx', 'json', 'kotlin', 'swift', 'go'])

  expect(guide.flatMap(blocksOf).filter(({ mark, language }) => mark === 'check' && !checked.has(language))).toEqual([])
})

test('a block of code without a mark is refused, with its page and line', () => {
  expect(() => blocksOf(readPage('guide/x.md', '# X\n\n```sh\nls\n```\n'))).toThrow(
    'docs/guide/x.md:3: a block needs a language and a mark',
  )
})

test('every link of the guide to docs/ leads to a page, and to a heading when it names one', () => {
  const whyDead = (link: Link): string | undefined => {
    try {
      // A link to a file outside docs/ may lead nowhere, because the site does not serve that file and shows the link as text. So may a link of a
      // page that is no page of the guide.
      const isElsewhere = !link.page.startsWith('guide/') || link.href.startsWith('../../')
      return addressOf(link, byPath) === undefined && !isElsewhere ? `${link.page}: ${link.href} leads nowhere` : undefined
    } catch (error) {
      return String(error)
    }
  }

  expect(pages.flatMap(linksOf).flatMap((link) => whyDead(link) ?? [])).toEqual([])
})

test('every picture on a page exists, with at least four words for readers who cannot see it', () => {
  const pictures = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words = '', file = '']) => ({ path, words, file })),
  )

  expect(pictures.filter(({ path, file }) => !existsSync(join(root, 'docs', posix.dirname(path), file)))).toEqual([])
  expect(pictures.filter(({ words }) => words.split(' ').length < 4)).toEqual([])
})

test('a link to a heading that does not exist is refused', () => {
  const page = readPage('guide/web.md', '# Web\n')

  expect(() => addressOf({ page: 'guide/web.md', href: '#nothing' }, new Map([['guide/web.md', page]]))).toThrow('names no heading')
})

test('a guide’s page has no inline script, style or frame; addresses are paths, anchors or https', () => {
  const isOwn = (address: string) => /^(?:src|href)="(?:\/|#|https:\/\/)/.test(address)
  const foreign = guide.flatMap((page) => {
    const html = htmlOf(page, byPath)
    const inline = html.match(/<script(?! src="\/docs\/guide\/guide\.js" defer><\/script>)|<style|\sstyle=|\son[a-z]+=|<iframe/g) ?? []
    const loaded = html.match(/(?:src|href)="[^"]*"/g)?.filter((address) => !isOwn(address)) ?? []
    return [...inline, ...loaded].map((found) => `${page.path}: ${found}`)
  })

  expect(foreign).toEqual([])
})

test('the anchors of headings are those that GitHub makes', () => {
  expect(anchorOf('What is sent, and what is not')).toBe('what-is-sent-and-what-is-not')
  expect(anchorOf('`herald doctor` & co')).toBe('herald-doctor--co')
})
