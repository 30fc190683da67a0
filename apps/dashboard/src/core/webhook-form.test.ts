import { expect, test } from 'vitest'
import { noteOfWebhookUrl, problemOfWebhookUrl } from './webhook-form.ts'

// spec: webhooks/url-at-save
test.each<[url: string, problem: string | undefined]>([
  ['', undefined],
  ['https://shop.example/hooks', undefined],
  [' https://shop.example/hooks ', undefined],
  ['http://shop.example/hooks', 'must be an https URL'],
  ['shop.example', 'must be an https URL'],
  ['https://a:b@shop.example/', 'must not hold credentials'],
])('the form finds in the URL %j the mistake that Herald would find when the endpoint is saved: %s', (url, problem) => {
  expect(problemOfWebhookUrl(url)).toBe(problem)
})

test.each(['https://localhost:8443/hooks', 'https://127.0.0.1/', 'https://192.168.1.7/', 'https://[::1]/'])(
  'the operator reads that %s is allowed in development only',
  (url) => {
    expect(noteOfWebhookUrl(url)).toContain('WEBHOOK_ALLOW_PRIVATE')
  },
)

test.each(['https://shop.example/', '', 'http://localhost/'])('the form has no warning for the URL %j', (url) => {
  expect(noteOfWebhookUrl(url)).toBeUndefined()
})
