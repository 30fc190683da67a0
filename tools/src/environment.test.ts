import { expect, test } from 'vitest'
import { environmentOf, type Computed } from './environment.ts'

const computed: Computed = {
  host: '127.0.0.1',
  port: 8080,
  natsUrl: 'nats://127.0.0.1:4222',
  databaseUrls: { gateway: 'postgres://g', audience: 'postgres://a', webhooks: 'postgres://w' },
  secrets: {
    ADMIN_TOKEN: 'admin',
    HMAC_SECRET: 'hmac',
    SEAL_KEYS: 'seal',
    SIMULATOR_CONTROL_TOKEN: 'control',
    passwords: {},
    natsPasswords: { gateway: 'ng', audience: 'na', campaigns: 'nc', tracker: 'nt', webhooks: 'nw', dispatcher: 'nd', queue: 'nq' },
  },
}
const simulator = {
  addresses: {
    apns: 'https://localhost:1',
    apnsSandbox: 'https://localhost:2',
    fcm: 'https://localhost:3',
    fcmToken: 'https://localhost:4/token',
    webPush: 'https://localhost:5',
    control: 'http://127.0.0.1:6',
  },
  authorities: '/data/authorities.pem',
}
const given = {
  PATH: '/bin',
  DATABASE_URL: 'postgres://owner',
  DATABASE_URL_TRACKER: 'postgres://given',
  NATS_PASSWORD_TRACKER: 'nt',
  ADMIN_TOKEN: 'x',
  HMAC_SECRET: 'x',
  SEAL_KEYS: 'x',
  SIMULATOR_CONTROL_TOKEN: 'x',
  LISTEN_FDS: '1',
  LISTEN_PID: '1',
}

// spec: running/secrets-apart
test('a service gets its own database address and NATS password and the secrets that it needs, and no others', () => {
  expect(environmentOf(['gateway'], given, computed)).toEqual({
    PATH: '/bin',
    HOST: '127.0.0.1',
    PORT: '8080',
    NATS_URL: 'nats://127.0.0.1:4222',
    NATS_PASSWORD_GATEWAY: 'ng',
    DASHBOARD_DIR: expect.stringContaining('apps/dashboard/dist'),
    WEB_SDK_DIR: expect.stringContaining('sdks/web/dist'),
    GUIDE_DIR: expect.stringContaining('dist/guide'),
    NODE_OPTIONS: expect.stringContaining('--max-semi-space-size='),
    OTEL_SERVICE_NAME: 'gateway',
    DATABASE_URL_GATEWAY: 'postgres://g',
    ADMIN_TOKEN: 'admin',
    HMAC_SECRET: 'hmac',
    SEAL_KEYS: 'seal',
    SIMULATOR_CONTROL_TOKEN: 'control',
  })
  const shared = {
    PATH: '/bin',
    HOST: '127.0.0.1',
    NATS_URL: 'nats://127.0.0.1:4222',
    NODE_OPTIONS: expect.stringContaining('--max-semi-space-size='),
  }
  expect(environmentOf(['audience'], given, computed)).toEqual({
    ...shared,
    OTEL_SERVICE_NAME: 'audience',
    NATS_PASSWORD_AUDIENCE: 'na',
    DATABASE_URL_AUDIENCE: 'postgres://a',
  })
  expect(environmentOf(['dispatcher'], given, computed)).toEqual({
    ...shared,
    OTEL_SERVICE_NAME: 'dispatcher',
    NATS_PASSWORD_DISPATCHER: 'nd',
    HMAC_SECRET: 'hmac',
    SEAL_KEYS: 'seal',
  })
  expect(environmentOf(['webhooks'], given, computed)).toEqual({
    ...shared,
    OTEL_SERVICE_NAME: 'webhooks',
    NATS_PASSWORD_WEBHOOKS: 'nw',
    DATABASE_URL_WEBHOOKS: 'postgres://w',
    SEAL_KEYS: 'seal',
  })
})

test('the simulator gets neither the address of NATS nor any password', () => {
  const simulated = environmentOf(['simulator'], { ...given, NATS_URL: 'nats://x', NATS_PASSWORD: 'one for all' }, computed)

  expect(Object.keys(simulated).filter((name) => name.includes('NATS') || name.includes('PASSWORD'))).toEqual([])
})

test('an operator’s NATS user for all services is used with their NATS, never with the embedded one', () => {
  const user = { NATS_USER: 'herald', NATS_PASSWORD: 'one for all' }

  expect(environmentOf(['tracker'], { NATS_URL: 'nats://theirs', ...user }, computed)).toMatchObject(user)
  const embedded = environmentOf(['tracker'], user, computed)
  expect(embedded['NATS_PASSWORD_TRACKER']).toBe('nt')
  expect(embedded).not.toHaveProperty('NATS_PASSWORD')
})

test('options of Node that the operator gives take precedence over those of the starter', () => {
  const { NODE_OPTIONS } = environmentOf(['gateway'], { NODE_OPTIONS: '--import ./tracing.mjs --max-old-space-size=900' }, computed)

  expect(NODE_OPTIONS).toMatch(/^--max-semi-space-size=\d+ --max-old-space-size=\d+ --import \.\/tracing\.mjs --max-old-space-size=900$/)
})

test('a database address that the operator gives for a service is used unchanged', () => {
  expect(environmentOf(['tracker'], given, computed)['DATABASE_URL_TRACKER']).toBe('postgres://given')
})

// spec: running/simulator, running/certificates
test('with the simulator the providers’ addresses are on this machine, and the services that call them trust the simulator’s certificate', () => {
  const dispatcher = environmentOf(['dispatcher'], {}, { ...computed, simulator })

  expect(dispatcher).toMatchObject({
    APNS_URL: 'https://localhost:1',
    APNS_SANDBOX_URL: 'https://localhost:2',
    FCM_URL: 'https://localhost:3',
    FCM_TOKEN_URL: 'https://localhost:4/token',
    WEB_PUSH_ALLOW_PRIVATE: 'true',
    NODE_EXTRA_CA_CERTS: '/data/authorities.pem',
  })
  expect(dispatcher).not.toHaveProperty('SIMULATOR_CONTROL_URL')
  expect(environmentOf(['gateway'], {}, { ...computed, simulator })).toMatchObject({ SIMULATOR_CONTROL_URL: 'http://127.0.0.1:6' })
  expect(environmentOf(['audience'], {}, { ...computed, simulator })).not.toHaveProperty('NODE_EXTRA_CA_CERTS')
})

// spec: running/simulator, providers/addresses
test('a given provider address is used; an address of one APNs environment keeps the simulator’s from the other', () => {
  const dispatcher = environmentOf(
    ['dispatcher'],
    { APNS_URL: 'https://apns.example', FCM_URL: 'https://fcm.example' },
    { ...computed, simulator },
  )

  expect(dispatcher).toMatchObject({
    APNS_URL: 'https://apns.example',
    FCM_URL: 'https://fcm.example',
    FCM_TOKEN_URL: 'https://localhost:4/token',
  })
  expect(dispatcher).not.toHaveProperty('APNS_SANDBOX_URL')
})
