import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './workspace.ts'

test('the glossary explains at most 40 words, each of them once', () => {
  const page = readFileSync(join(root, 'docs/specification/README.md'), 'utf8')
  const table = page.split('\n## Words\n')[1]?.split('\n## ')[0] ?? ''
  const words = [...table.matchAll(/^\| ([^|]+?) +\|/gm)]
    .map(([, word = '']) => word)
    .filter((word) => word !== 'word' && !/^-+$/.test(word))

  expect(words.length).toBeGreaterThan(30)
  expect(words.length).toBeLessThanOrEqual(40)
  expect(words.filter((word, place) => words.indexOf(word) !== place)).toEqual([])
})
