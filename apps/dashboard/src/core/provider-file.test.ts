import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyIdOfName, readApnsKey, readServiceAccount } from './provider-file.ts'

const pemOf = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const p8 = pemOf('P-256')
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const rsa = rsaKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const account = {
  type: 'service_account',
  project_id: 'shop',
  client_email: 'push@shop.example',
  private_key: rsa,
  universe_domain: 'googleapis.com',
}

const problemOf = async (read: Promise<{ ok: true } | { ok: false; problem: string }>): Promise<string> => {
  const answer = await read
  return answer.ok ? '' : answer.problem
}

test('the key id is read from the name of a .p8 file', () => {
  expect(keyIdOfName('AuthKey_ABC123DEFG.p8')).toBe('ABC123DEFG')
  expect(keyIdOfName('AuthKey_ABC123DEFG (1).p8')).toBe('ABC123DEFG')
  expect(keyIdOfName('AuthKey_ABC123DEFGH.p8')).toBeNull()
  expect(keyIdOfName('key.p8')).toBeNull()
})

test('a .p8 file from Apple is accepted, with the key id in its name', async () => {
  expect(await readApnsKey('AuthKey_ABC123DEFG.p8', p8)).toEqual({ ok: true, found: { privateKey: p8, keyId: 'ABC123DEFG' } })
  expect(await readApnsKey('key.txt', p8.replaceAll('\n', '\r\n'))).toMatchObject({ ok: true, found: { keyId: null } })
})

// spec: dashboard/credential-files
test('a .p8 file without its end is called cut off, wherever it was cut after its first line', async () => {
  for (const length of [40, 60, 120, p8.length - 10]) expect(await problemOf(readApnsKey('a.p8', p8.slice(0, length)))).toMatch(/cut off/)
})

test('a .p8 file without a line in its middle is called cut off', async () => {
  const lines = p8.split('\n')
  expect(await problemOf(readApnsKey('a.p8', lines.toSpliced(2, 1).join('\n')))).toMatch(/cut off/)
})

test.each<[what: string, text: string, says: RegExp]>([
  ['an RSA key', rsa, /This is an RSA key/],
  ['an RSA key in its old form', rsaKey.export({ type: 'pkcs1', format: 'pem' }).toString(), /This is an RSA key/],
  ['a key on another curve', pemOf('P-384'), /another curve/],
  ['a certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /This is a certificate/],
  ['a public key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /This is a public key/],
  ['an encrypted key', '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----', /encrypted with a password/],
  ['a service account', JSON.stringify(account), /This is a JSON file/],
  ['nothing', '  \n', /is empty/],
  ['any other text', 'hello', /not a key file/],
  ['a long text', 'x'.repeat(30_000), /too long/],
  ['a key with letters that are none', p8.replace('\n', '\n!!!!'), /not base64/],
])('%s in the place of a .p8 file is refused, and the operator reads what the file is', async (_what, text, says) => {
  expect(await problemOf(readApnsKey('a.p8', text))).toMatch(says)
})

test('a service account is accepted, and its project and e-mail address are shown', async () => {
  expect(await readServiceAccount(JSON.stringify(account, null, 2))).toEqual({
    ok: true,
    found: { serviceAccount: account, projectId: 'shop', clientEmail: 'push@shop.example' },
  })
})

test.each<[what: string, text: string, says: RegExp]>([
  ['google-services.json', JSON.stringify({ project_info: {}, client: [] }), /google-services\.json/],
  ['the configuration of a web app', JSON.stringify({ apiKey: 'x', projectId: 'shop' }), /web app/],
  ['an OAuth client', JSON.stringify({ installed: { client_id: 'x' } }), /OAuth client/],
  ['another type of account', JSON.stringify({ ...account, type: 'authorized_user' }), /authorized_user/],
  ['any other JSON', JSON.stringify({ name: 'shop' }), /not a service account/],
  ['a .p8 file', p8, /a key alone/],
  ['a file that is cut off', JSON.stringify(account).slice(0, 300), /cut off/],
  ['a list', '[]', /not a JSON object/],
  ['an account without a project', JSON.stringify({ ...account, project_id: undefined }), /project_id is missing/],
  ['an account with a cut key', JSON.stringify({ ...account, private_key: rsa.slice(0, 900) }), /private_key is cut off/],
  ['an account with a P-256 key', JSON.stringify({ ...account, private_key: p8 }), /not an RSA key/],
  ['an account with another text as its key', JSON.stringify({ ...account, private_key: 'secret' }), /not PEM text/],
])('%s in the place of a service account is refused, and the operator reads what the file is', async (_what, text, says) => {
  expect(await problemOf(readServiceAccount(text))).toMatch(says)
})

// spec: dashboard/credential-files
test('the message of a refused file contains no key, address, project id or unknown type of the file', async () => {
  const planted = 'PLANTEDSECRET'
  for (const text of [
    planted,
    `-----BEGIN X-----${planted}`,
    `-----BEGIN PRIVATE KEY-----\n${planted}\n-----END PRIVATE KEY-----`,
    JSON.stringify({ private_key: planted, client_email: planted, project_id: planted }),
    JSON.stringify({ ...account, type: planted }),
  ]) {
    expect(await problemOf(readApnsKey('a.p8', text))).not.toContain(planted)
    expect(await problemOf(readServiceAccount(text))).not.toContain(planted)
  }
})
