import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { natsConfig, natsServers, proxyConfig, readSettings, whole } from './config.ts'

const schema = z.object({ SIZE: whole(8, { min: 2 }), SECRET: z.string() })
function given(environment: Record<string, string>) {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
}

// spec: running/own-settings
test('a setting that names a service is for that service alone, and takes precedence over the setting for all', () => {
  given({ SIZE: '4', SIZE_TRACKER: '6', SECRET: 'for all', SECRET_AUDIENCE: 'of audience' })

  expect(readSettings(schema, 'tracker').value).toEqual({ SIZE: 6, SECRET: 'for all' })
  expect(readSettings(schema, 'audience').value).toEqual({ SIZE: 4, SECRET: 'of audience' })
  expect(readSettings(schema).value).toEqual({ SIZE: 4, SECRET: 'for all' })
})

// spec: running/proxy
test('the proxy settings’ names count in lower case too, first, and an address without a scheme is http', () => {
  const read = () => readSettings(z.object(proxyConfig), 'webhooks').value
  given({ HTTPS_PROXY: 'http://upper.example:3128', no_proxy: '10.0.0.0/8' })
  expect(read()).toEqual({ HTTPS_PROXY: 'http://upper.example:3128', NO_PROXY: '10.0.0.0/8' })
  given({ https_proxy: 'lower.example:3128' })
  expect(read()).toMatchObject({ HTTPS_PROXY: 'http://lower.example:3128' })
  given({ HTTPS_PROXY_WEBHOOKS: 'https://own.example' })
  expect(read()).toMatchObject({ HTTPS_PROXY: 'https://own.example' })
})

// spec: running/proxy
test.each([
  'socks5://user:secret@proxy.example',
  'http://',
  'http://a b',
  'http://user:%zz@secret.example',
  'http://user:p%E4ss@secret.example',
])('the proxy %s is refused at the start, without a word of its value', (HTTPS_PROXY) => {
  given({ HTTPS_PROXY })
  const { problems } = readSettings(z.object(proxyConfig))
  expect(problems).toEqual(['  HTTPS_PROXY: must be the address of a proxy, such as http://user:password@proxy.example:3128'])
})

const readNats = () => readSettings(z.object(natsConfig))

// spec: cluster/addresses
test('NATS_URL is a comma list whose parts may have blanks around them and no scheme, and tls:// demands TLS', () => {
  given({ NATS_URL: 'nats://a:4222, b:4223 ,nats://[::1]:4224' })
  expect(natsServers(readNats().value ?? { NATS_URL: '' })).toEqual({ servers: ['nats://a:4222', 'nats://b:4223', 'nats://[::1]:4224'] })
  given({ NATS_URL: 'nats://a:4222,tls://b:4222' })
  expect(natsServers(readNats().value ?? { NATS_URL: '' })).toMatchObject({ tls: {} })
})

// spec: cluster/addresses
test.each([
  'nats://a:4222,',
  'nats://a:4222,,nats://b:4222',
  'http://a:4222',
  'nats://user:secret@a:4222',
  'nats://a:4222/secret',
  'nats://a:99999',
  'tls://10.0.0.1:4222',
  'tls://[::1]:4222',
])('NATS_URL=%s is refused at the start, without a word of its value', (NATS_URL) => {
  given({ NATS_URL })
  expect(readNats().problems).toEqual([
    '  NATS_URL: must be a comma list of nats://host:port or tls://name:port, without a user (NATS_USER, NATS_PASSWORD)',
  ])
})

// spec: cluster/tls
test('a file for TLS that does not exist is refused at the start, and a certificate without its key too', () => {
  given({ NATS_CA: '/no/such/ca.pem' })
  expect(readNats().problems).toEqual(['  NATS_CA: names a file that does not exist'])
  expect(() => natsServers({ NATS_URL: 'nats://a:4222', NATS_CERT: 'cert.pem' })).toThrow('NATS_CERT and NATS_KEY')
})

// spec: running/environment
test('every wrong setting is named as the operator wrote it, without its value', () => {
  given({ SIZE_TRACKER: '1' })

  const { value, problems } = readSettings(schema, 'tracker')
  expect(value).toBeUndefined()
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^  SIZE_TRACKER: Too small/)
  expect(problems[1]).toBe('  SECRET: is required')
})
