import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Texts that were met in use and read as if translated. The dashboard says them in the words of the trade instead. */
const refused = [
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
  'Waits for a device',
  'As usual',
  'is to be chosen',
  'is known of a person',
  'CAPITAL LETTERS',
  'no draft any more',
  'No test device any more',
  'Go on with it',
  'come by then',
  'any more: it is older',
  'Repairs itself',
  'Needs you',
  'taken by the providers',
  'obeys no cap',
  'does not take back',
  'What was read is read',
  'that has left',
  'Nobody is found',
  'is called like this',
  'Kept count',
  'loses anybody',
  'What holds for',
  'heard within',
  'I have kept it',
  'What became of it',
  'looked at it',
  'they are filled in',
  'values of now',
  'It decided nothing',
  'Say of whom',
  'by a circuit',
  'Exports of everybody',
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
