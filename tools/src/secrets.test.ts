import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSecrets } from './secrets.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'herald-secrets-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

// spec: running/secrets-made
test('Herald makes its secrets at the first start, for this user alone, and keeps them later', () => {
  const first = readSecrets(directory, {})

  expect(first.ADMIN_TOKEN.length).toBeGreaterThanOrEqual(32)
  expect(Buffer.from(first.SEAL_KEYS.replace(/^k1:/, ''), 'base64')).toHaveLength(32)
  expect(statSync(join(directory, 'secrets.json')).mode & 0o777).toBe(0o600)
  expect(readSecrets(directory, {})).toEqual(first)
})

test('each service gets its own password for NATS, which the environment may replace', () => {
  const { natsPasswords } = readSecrets(directory, {})
  expect(new Set(Object.values(natsPasswords)).size).toBe(7)

  expect(readSecrets(directory, { NATS_PASSWORD_TRACKER: 'chosen' }).natsPasswords).toEqual({ ...natsPasswords, tracker: 'chosen' })
  expect(readFileSync(join(directory, 'secrets.json'), 'utf8')).not.toContain('chosen')
})

test('secrets that the environment gives are used and are not written to disk', () => {
  const given = readSecrets(directory, {
    ADMIN_TOKEN: 'a-token-of-the-environment-long-enough',
    DATABASE_URL_AUDIENCE: 'postgres://herald_audience:chosen%20password@db.example/herald',
  })

  expect(given.ADMIN_TOKEN).toBe('a-token-of-the-environment-long-enough')
  expect(given.passwords['audience']).toBe('chosen password')
  expect(readFileSync(join(directory, 'secrets.json'), 'utf8')).not.toMatch(/of-the-environment|chosen password/)
})

test('a broken file of secrets is never replaced, because the credentials sealed with it would be lost', () => {
  writeFileSync(join(directory, 'secrets.json'), '{"adminToken":')

  expect(() => readSecrets(directory, {})).toThrow('secrets.json')
  expect(readFileSync(join(directory, 'secrets.json'), 'utf8')).toBe('{"adminToken":')
})
