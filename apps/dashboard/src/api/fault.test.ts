import { expect, test } from 'vitest'
import { ApiFault, faultOf, readFault } from './fault.ts'

test('the error of a refused request has the words of the API and the id of the request', async () => {
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

test('an error page of a proxy becomes an error that names its HTTP status', async () => {
  const fault = await readFault(new Response('<h1>Bad gateway</h1>', { status: 502 }))
  expect(fault.message).toContain('502')
  expect(fault.retryAfterSeconds).toBeUndefined()
})

test('a timeout’s message says that the change may have been saved, and names no time limit', () => {
  const late = faultOf(new DOMException('late', 'TimeoutError'))
  expect(late.code).toBe('timeout')
  expect(late.message).toContain('Your change may have been saved')
  expect(late.message).not.toMatch(/\d/)
})

test('an error that comes from the API is shown unchanged', () => {
  const fault = new ApiFault({ status: 409, code: 'invalid_state', message: 'sent already' })
  expect(faultOf(fault)).toBe(fault)
})
