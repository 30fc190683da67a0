import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { root } from './workspace.ts'

const mostWords = 40
/** The sources that people write, without tests. A program writes `*.gen.ts`. */
const sources = globSync('{apps,libs,tools,sdks,e2e,bench}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/{node_modules,dist}/**', '**/*.{test,gen}.{ts,tsx}'],
}).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

// A longer docstring hides what the next owner needs.
test(`no docstring has more than ${mostWords} words`, () => {
  const docstrings = sources.flatMap(({ file, text }) =>
    parseSync(file, text)
      .comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
      .map(({ value, start }) => ({
        place: `${file}:${text.slice(0, start).split('\n').length}`,
        words: value
          .replaceAll(/^\s*\*/gm, '')
          .split(/\s+/)
          .filter(Boolean).length,
      })),
  )

  expect(docstrings.length).toBeGreaterThan(1_000)
  expect(docstrings.filter(({ words }) => words > mostWords)).toEqual([])
})

// A reader of a list of failures sees titles alone, and a long one hides its promise.
test('no title of a test has more than 20 words', () => {
  const files = globSync('{apps,libs,tools,sdks,e2e}/**/*.{test,long}.{ts,tsx}', { cwd: root, exclude: ['**/{node_modules,dist}/**'] })
  // The title is the text before a function, also behind the table of `test.each`.
  const title = /\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,\s*(?:\{[^}]*\},\s*)?(?:async )?\(/g
  const titles = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(title)].map(([, , text = '']) => ({
      file,
      text,
      words: text
        .replaceAll(/\$\{[^}]*\}/g, 'x')
        .split(/\s+/)
        .filter(Boolean).length,
    })),
  )

  expect(titles.filter(({ words }) => words > 5).length).toBeGreaterThan(2_500)
  expect(titles.filter(({ words }) => words > 20)).toEqual([])
})
