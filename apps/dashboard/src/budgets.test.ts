import { expect, test } from 'vitest'
import { budgets, refusedOf, weigh, type Built } from '../budgets.ts'

const manifest: Record<string, Built> = {
  'index.html': {
    file: 'assets/index-aaaaaaaa.js',
    src: 'index.html',
    isEntry: true,
    imports: ['_base'],
    css: ['assets/index-aaaaaaaa.css'],
  },
  _base: { file: 'assets/base-aaaaaaaa.js' },
  _forms: { file: 'assets/forms-aaaaaaaa.js', imports: ['_base'] },
  _lists: { file: 'assets/lists-aaaaaaaa.js' },
  'src/pages/log/LogPage.tsx': {
    file: 'assets/LogPage-aaaaaaaa.js',
    src: 'src/pages/log/LogPage.tsx',
    imports: ['index.html', '_forms', '_lists'],
  },
  'src/pages/compose/ComposePage.tsx': {
    file: 'assets/ComposePage-aaaaaaaa.js',
    src: 'src/pages/compose/ComposePage.tsx',
    imports: ['_base', '_forms'],
  },
}
const bytes = (name: string): number => weigh(manifest, () => 1_000).find((part) => part.name === name)?.bytes ?? -1

// spec: dashboard/sizes
test('the first load counts the entry file and everything that it imports, with its styles', () =>
  expect(bytes('the first load')).toBe(3_000))

test('the log page counts only what it adds to the first load, not the shared library of forms', () => {
  expect(bytes('src/pages/log/LogPage.tsx')).toBe(2_000)
  expect(bytes('forms')).toBe(1_000)
})

test('the compose page counts everything that it adds to the first load, also shared libraries', () =>
  expect(bytes('src/pages/compose/ComposePage.tsx')).toBe(2_000))

test('the size of the whole dashboard counts each file once', () => expect(bytes('everything')).toBe(7_000))

test('when a file of the first load outgrows the limit, only the first load is larger than its limit', () => {
  const heavy = weigh(manifest, (file) => (file.includes('base') ? budgets.firstLoad + 1 : 0))
  expect(heavy.filter(({ bytes: is, limit }) => is > limit).map(({ name }) => name)).toEqual(['the first load'])
})

// spec: dashboard/no-markup-from-text
test.each([
  '<script>alert(1)</script>',
  '<style>p { color: red }</style>',
  '<p style="color: red">',
  '<body onload="x()">',
  '<script src="https://elsewhere.example/x.js"></script>',
  '<link rel="stylesheet" href="//elsewhere.example/x.css">',
])('the build refuses a page with %s, as the content security policy would', (html) => expect(refusedOf(html)).toHaveLength(1))

test('the build accepts a page that loads its scripts and styles from its own files', () => {
  expect(
    refusedOf(
      '<link rel="stylesheet" href="/dashboard/assets/x.css"><script type="module" crossorigin src="/dashboard/assets/x.js"></script>',
    ),
  ).toEqual([])
})
