import { expect, test } from 'vitest'
import { wordsOfWarning } from './import-words.ts'

// spec: administration/import-left-out, administration/import-onesignal
test('the page says what a warning of an import counts, and names the column whose values were left out', () => {
  expect(wordsOfWarning('left_out:time:zone')).toBe('a value of “time:zone” was left out, the device is imported')
  expect(wordsOfWarning('no_external_id')).toContain('anonymous')
  expect(wordsOfWarning('of a later version')).toBe('')
})
