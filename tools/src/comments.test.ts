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
