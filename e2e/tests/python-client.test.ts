import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { walkClient } from '../clients/walk.ts'

// spec: limits/idempotency-replay, webhooks/signature, identity/register-spares
test('through the Python client a backend registers, sends once, follows and verifies webhooks, although an answer is lost', async () => {
  const directory = resolve(import.meta.dirname, '../../sdks/python')
  const ended = await walkClient('python3', ['-W', 'error', 'tests/walk.py'], directory, { PYTHONPATH: '.', PYTHONDONTWRITEBYTECODE: '1' })
  expect(ended).toEqual({ status: 0, complaints: '' })
})
