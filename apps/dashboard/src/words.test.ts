import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Texts that were met in use and read as if translated. The dashboard says them in the words of the trade instead. */
const refused = [
  'hold out',
  'held out',
  'Draw others',
  'What it caused',
  'Meant to get it',
  'Not yet known',
  'Not yet decided',
  'Not decided',
  'best so far',
  'No own choice',
  'can leave it',
  'until they leave',
  'Make the key',
  'Make the endpoint',
  'Make the category',
  'Make a secret',
  'This cannot be taken back',
  'is no key',
  'is no PEM',
  'is no RSA',
  'is no JSON',
  'sent once, sealed',
  'what becomes of pushes',
  'Given up in a row',
  'stream to be had',
  'lets no push through',
  'Order of this page',
  'in the 24 before',
  'proves nothing',
  'is to be mended',
  'are to be mended',
  'Looks like this in',
  'Let go of the template',
  'Again and again',
  'At an instant',
  'Leave people in peace',
  'dead device',
  'dead token',
  'Their token is dead',
  'devices are dead',
  'had their share',
  'Try it on your own devices',
  'What would happen',
  'Swipe it away',
  'Keep it as it is',
  'Id of the thing',
  'Make the first app',
  'What went out',
  'has touched it',
  'let it go on',
  ' dead<',
]

// spec: dashboard/words
test('no text of the dashboard uses a phrase that a marketer would not say', () => {
  const sources = globSync(['apps/dashboard/src/**/*.ts', 'apps/dashboard/src/**/*.tsx']).filter(
    (path) => !path.endsWith('.test.ts') && !path.endsWith('.gen.ts'),
  )
  expect(sources.length).toBeGreaterThan(200)
  const found = sources.flatMap((path) => {
    // Comments are for developers.
    const text = readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    return refused.filter((phrase) => text.toLowerCase().includes(phrase.toLowerCase())).map((phrase) => `${path}: ${phrase}`)
  })
  expect(found).toEqual([])
})
