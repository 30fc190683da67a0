import { expect, test } from 'vitest'
import { openSecrets } from './secrets.ts'

test('a delivery is signed with the newest secret that the process has seen, also when read with an older', () => {
  const secrets = openSecrets()
  const first = { version: 1, secret: 'first' }
  secrets.remember('endpoint', first)
  secrets.remember('endpoint', { version: 2, secret: 'second' })
  secrets.remember('endpoint', first)
  expect(secrets.toSignWith('endpoint', first)).toBe('second')
})

test('when a delivery needs a newer secret than the remembered one, the remembered one is not used', () => {
  const secrets = openSecrets()
  secrets.remember('endpoint', { version: 1, secret: 'first' })
  expect(secrets.known('endpoint', 2)).toBeUndefined()
  expect(secrets.known('other', 1)).toBeUndefined()
})

test('when the process no longer remembers an endpoint’s secret, the delivery’s own signs it', () => {
  const secrets = openSecrets(10)
  const carried = { version: 1, secret: 'the right one' }
  secrets.remember('endpoint', carried)
  for (let no = 0; no < 20; no++) secrets.remember(`another ${no}`, { version: 1, secret: `of ${no}` })
  expect(secrets.known('endpoint', 1)).toBeUndefined()
  expect(secrets.toSignWith('endpoint', carried)).toBe('the right one')
})

test('the secret of an endpoint in use stays remembered while many others are used once', () => {
  const secrets = openSecrets(10)
  secrets.remember('busy', { version: 1, secret: 'busy' })
  for (let no = 0; no < 100; no++) {
    secrets.remember(`another ${no}`, { version: 1, secret: `of ${no}` })
    expect(secrets.known('busy', 1)?.secret).toBe('busy')
  }
})
