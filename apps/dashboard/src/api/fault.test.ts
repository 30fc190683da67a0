import { expect, test } from 'vitest'
import { ApiFault, faultOf, readFault } from './fault.ts'

test('a fault has the words of the API, with the id of the request', async () => {
  const body = { error: { code: 'invalid_body', message: 'name must be given', details: [{ path: 'name', message: 'must be given' }] } }
  const fault = await readFault(Response.json(body, { status: 422, headers: { 'x-request-id': 'r1', 'retry-after': '7' } }))
  expect(fault).toMatchObject({
    status: 422,
    code: 'invalid_body',
    message: 'name must be given',
    details: [{ path: 'name', message: 'must be given' }],
    requestId: 'r1',
    retryAfterSeconds: 7,
  })
})

test('an answer of a proxy becomes a fault that names its status', async () => {
  const fault = await readFault(new Response('<h1>Bad gateway</h1>', { status: 502 }))
  expect(fault.message).toContain('502')
  expect(fault.retryAfterSeconds).toBeUndefined()
})

test('a timeout does not claim that nothing was done', () => {
  const late = faultOf(new DOMException('late', 'TimeoutError'))
  expect(late.code).toBe('timeout')
  expect(late.message).toContain('look before you repeat')
})

test('a fault that is read again stays the same fault', () => {
  const fault = new ApiFault({ status: 409, code: 'invalid_state', message: 'sent already' })
  expect(faultOf(fault)).toBe(fault)
})
