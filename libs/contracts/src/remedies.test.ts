import { expect, test } from 'vitest'
import { providerKinds } from './app.ts'
import { failureCodes } from './outcome.ts'
import { remedies, remedyOf } from './remedies.ts'

test('for a dead token there is nothing to do; every other code has a remedy in one sentence, whatever the provider said', () => {
  for (const kind of providerKinds) {
    const said = failureCodes.map((code) => [code, remedyOf(kind, code, '418 SomethingNew')] as const)
    expect(said.filter(([, remedy]) => remedy === null)).toEqual([['token_dead', null]])
    expect(said.filter(([, remedy]) => remedy !== null && !/^[A-Z].*[^.]\.$/.test(remedy))).toEqual([])
  }
})

test('a word of the provider that says more than the code has a remedy of its own', () => {
  expect(remedyOf('apns', 'credentials_invalid', '403 InvalidProviderToken')).toContain('team id and key id')
  expect(remedyOf('fcm', 'credentials_invalid', '401 oauth 400 invalid_grant')).toContain('newest key')
  expect(remedyOf('webpush', 'credentials_invalid', 'subject')).toContain('mailto:')
  // The word of another provider changes nothing.
  expect(remedyOf('fcm', 'credentials_invalid', '403 InvalidProviderToken')).toContain(remedies.credentials_invalid?.slice(1) ?? '')
})
