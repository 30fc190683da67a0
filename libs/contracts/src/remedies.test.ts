import { expect, test } from 'vitest'
import { providerKinds } from './app.ts'
import { failureCodes } from './outcome.ts'
import { remedies, remedyOf } from './remedies.ts'

test('for a dead token nothing is to do; every other code has a remedy as a sentence, also unknown answers', () => {
  for (const kind of providerKinds) {
    const said = failureCodes.map((code) => [code, remedyOf(kind, code, '418 SomethingNew')] as const)
    expect(said.filter(([, remedy]) => remedy === null)).toEqual([['token_dead', null]])
    expect(said.filter(([, remedy]) => remedy !== null && !/^[A-Z].*[^.]\.$/.test(remedy))).toEqual([])
  }
})

test('when a provider’s word says more than the failure code, the remedy is for that word', () => {
  expect(remedyOf('apns', 'credentials_invalid', '403 InvalidProviderToken')).toContain('team id and key id')
  expect(remedyOf('fcm', 'credentials_invalid', '401 oauth 400 invalid_grant')).toContain('newest key')
  expect(remedyOf('webpush', 'credentials_invalid', 'subject')).toContain('mailto:')
  // A word of another provider has no effect.
  expect(remedyOf('fcm', 'credentials_invalid', '403 InvalidProviderToken')).toContain(remedies.credentials_invalid?.slice(1) ?? '')
})
