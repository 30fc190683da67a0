import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { FileFaults, readState, writeState } from './state-file.ts'

function givenFile(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'herald-state-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'herald.yaml')
  writeFileSync(file, content)
  return file
}

function faultsOf(content: string): readonly string[] {
  try {
    readState(givenFile(content))
    return []
  } catch (error) {
    return (error as FileFaults).faults
  }
}

test('what is written to a file is read again, whatever a text holds, also as YAML 1.1', () => {
  const texts = [
    'off',
    'no',
    '22:00',
    'null',
    '~',
    '',
    ' x ',
    '# y',
    '- z',
    'a: b',
    '012',
    '1e3',
    'two\nlines\n',
    '{{ user.name }}',
    '\u001b[2J',
    '日本 🎉',
    '<<',
    '&a',
  ]
  const state = {
    segments: [],
    templates: texts.map((text, place) => ({
      name: `t${place}`,
      content: { _default: 'en', en: { title: text, body: text.repeat(200) } },
    })),
    settings: { identityVerification: 'off', quietHours: { start: '22:00', end: '08:00', action: 'hold' } },
  }
  const written = writeState(state)
  expect(readState(givenFile(written))).toEqual(state)
  expect(parse(written, { version: '1.1' })).toEqual(state)
  expect(writeState(structuredClone(state))).toBe(written)
})

test.each([
  ['- a', ['must have sections']],
  ['', ['must have sections']],
  ['segment: []', ['segment: is no section']],
  ['templates: {}', ['templates: must be a list']],
  ['templates: [1]', ['templates[0].name: must be a text']],
  [
    'templates: [{name: a}, {name: b, contents: {}}, {name: a}]',
    ['templates[1].contents: is no field', 'templates[2].name: is that of templates[0] too'],
  ],
  ['webhooks: [{url: "https://a.example", secret: x}]', ['webhooks[0].secret: is no field']],
  ['settings: {timezone: UTC}', ['settings.timezone: is no setting']],
  ['a: 1\na: 2', ['Map keys must be unique at line 2']],
  ['a: [', ['at line 1']],
  [`a: &a [${'x,'.repeat(9)}x]\nb: &b [${'*a,'.repeat(9)}*a]\nc: &c [${'*b,'.repeat(9)}*b]\nd: [${'*c,'.repeat(9)}*c]`, ['alias']],
])('the file %j is refused, and each fault names its place', (content, expected) => {
  const faults = faultsOf(content)
  expect(faults).toEqual(expected.map((text) => expect.stringContaining(text) as string))
})

test('an endpoint’s URL may stand in a file twice, because an app may have two endpoints of one URL', () => {
  expect(faultsOf('webhooks: [{url: "https://a.example"}, {url: "https://a.example", eventTypes: [campaign.completed]}]')).toEqual([])
})
