import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'

const gateway = await startGateway({ database: (await freshDatabase()).url('gateway'), nats: await freshNats() })

test('the page that shows the API loads only what the gateway serves, and its policy blocks scripts from elsewhere', async () => {
  const page = await gateway.ask({ path: '/docs' })
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
  expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
  expect(page.text).not.toMatch(/https?:\/\/|<script>|onload|style=/)

  const wanted = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(wanted).toHaveLength(4)
  for (const path of wanted) {
    const { status, headers, text } = await gateway.ask({ path })
    expect([path, status, headers['x-content-type-options']]).toEqual([path, 200, 'nosniff'])
    expect(headers['content-type']).toMatch(
      path.includes('.css') ? /^text\/css/ : path.includes('.png') ? /^image\/png/ : /^text\/javascript/,
    )
    expect(headers['cache-control']).toBe(path.includes('?v=') ? 'public, max-age=31536000, immutable' : 'no-cache')
    expect(text.length).toBeGreaterThan(100)
  }
})

test('the page that shows the API does not send the OpenAPI document to a validator on the internet', async () => {
  const { text } = await gateway.ask({ path: '/docs/start.js' })
  expect(text).toContain('validatorUrl: null')
  expect(text).toContain("url: '/openapi.json'")
})

test.each([
  '/docs/',
  '/docs/package.json',
  '/docs/swagger-ui-bundle.js',
  '/docs/index.html',
  '/docs/%2e%2e/package.json',
  '/docs/../openapi.json',
])('%s is 404, because the gateway serves only the files that the page of the API needs', async (path) => {
  expect(await gateway.ask({ path })).toMatchObject({ status: 404 })
})
