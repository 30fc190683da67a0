import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { proxyConfig, readSettings, whole } from './config.ts'

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
test('the names of the proxy’s settings are known in lower case too, which takes precedence, and an address without a scheme is http', () => {
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

// spec: running/environment
test('every wrong setting is named as the operator wrote it, without its value', () => {
  given({ SIZE_TRACKER: '1' })

  const { value, problems } = readSettings(schema, 'tracker')
  expect(value).toBeUndefined()
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^  SIZE_TRACKER: Too small/)
  expect(problems[1]).toBe('  SECRET: is required')
})
