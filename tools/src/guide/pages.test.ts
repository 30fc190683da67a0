import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../workspace.ts'
import { htmlOf } from './html.ts'
import { addressOf, anchorOf, blocksOf, contents, linksOf, readPage, readPages } from './pages.ts'

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

test('every block of code of the guide says by what it is shown to be true', () => {
  const blocks = guide.flatMap(blocksOf)

  expect(blocks.filter(({ mark }) => mark === 'run').length).toBeGreaterThan(20)
  expect(blocks.filter(({ mark }) => mark === 'check').length).toBeGreaterThan(10)
})

test('a block without a mark is refused with its page and line', () => {
  expect(() => blocksOf(readPage('guide/x.md', '# X\n\n```sh\nls\n```\n'))).toThrow(
    'docs/guide/x.md:3: a block needs a language and a mark',
  )
})

test('no link of a page that is served is dead, headings included', () => {
  for (const page of pages)
    for (const link of linksOf(page)) expect(() => addressOf(link, byPath), `${page.path}: ${link.href}`).not.toThrow()
  for (const link of guide.flatMap(linksOf)) {
    const isInRepository = /^\.\.\/\.\.\//.test(link.href)
    if (!isInRepository) expect(addressOf(link, byPath), `${link.page}: ${link.href}`).toBeDefined()
  }
})

test('a link to a heading that does not exist is refused', () => {
  const page = readPage('guide/web.md', '# Web\n')

  expect(() => addressOf({ page: 'guide/web.md', href: '#nothing' }, new Map([['guide/web.md', page]]))).toThrow('names no heading')
})

test('a page has no script, style or picture of its own or of anybody else: it works under a strict policy and without the internet', () => {
  for (const page of guide) {
    const html = htmlOf(page, byPath)
    expect(html.match(/<script(?! src="\/docs\/guide\/guide\.js" defer><\/script>)/g), page.path).toBeNull()
    expect(html.match(/<style|\sstyle=|\son[a-z]+=|<img|<iframe/g), page.path).toBeNull()
    expect(html.match(/(?:src|href)="(?!\/|#)[^"]*"/g)?.filter((each) => !each.startsWith('href="https://')) ?? [], page.path).toEqual([])
  }
})

test('anchors are those that GitHub makes', () => {
  expect(anchorOf('What is sent, and what is not')).toBe('what-is-sent-and-what-is-not')
  expect(anchorOf('`herald doctor` & co')).toBe('herald-doctor--co')
})
