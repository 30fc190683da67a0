import { expect, test } from 'vitest'
import { noteOfWebhookUrl, problemOfWebhookUrl } from './webhook-url.ts'

// spec: webhooks/url-at-save
test.each<[url: string, problem: string | undefined]>([
  ['', undefined],
  ['https://shop.example/hooks', undefined],
  [' https://shop.example/hooks ', undefined],
  ['http://shop.example/hooks', 'must be an https URL'],
  ['shop.example', 'must be an https URL'],
  ['https://a:b@shop.example/', 'must not hold credentials'],
])('the URL %j is judged as the server judges its form: %s', (url, problem) => {
  expect(problemOfWebhookUrl(url)).toBe(problem)
})

test.each(['https://localhost:8443/hooks', 'https://127.0.0.1/', 'https://192.168.1.7/', 'https://[::1]/'])(
  '%s is said to be allowed in development only',
  (url) => {
    expect(noteOfWebhookUrl(url)).toContain('WEBHOOK_ALLOW_PRIVATE')
  },
)

test.each(['https://shop.example/', '', 'http://localhost/'])('%j has no note', (url) => {
  expect(noteOfWebhookUrl(url)).toBeUndefined()
})
