import { once } from 'node:events'
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serve } from '../testing/serve.ts'
import { openUpload } from './upload.ts'

const idleMs = 300

/** Begins an upload to a server that calls `work` with each part, and gives the request and what became of the upload. */
async function givenUpload(work: () => Promise<unknown>) {
  const received: string[] = []
  const receive = async (asked: IncomingMessage, response: ServerResponse) => {
    for await (const part of openUpload(asked, response, ['text/csv'], { idleMs }).parts()) {
      received.push(part.toString())
      await work()
    }
    response.end('complete')
  }
  const port = await serve((asked, response) => void receive(asked, response).catch(() => response.destroy()))
  const asked = request({ host: '127.0.0.1', port, method: 'PUT', headers: { 'content-type': 'text/csv' }, agent: false })
  return { asked, received }
}

// spec: administration/import-data
test('an upload goes on after a part that takes longer than a client may send nothing', async () => {
  const { asked, received } = await givenUpload(() => sleep(3 * idleMs))
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>

  asked.write('one')
  await expect.poll(() => received).toEqual(['one'])
  asked.end('two')

  expect((await answered)[0].statusCode).toBe(200)
  expect(received).toEqual(['one', 'two'])
})

test('a client that sends nothing while the gateway waits for more is disconnected', async () => {
  const { asked, received } = await givenUpload(() => Promise.resolve())
  const failed = once(asked, 'error')

  asked.write('one')
  await expect.poll(() => received).toEqual(['one'])

  expect(await failed).toMatchObject([{ code: 'ECONNRESET' }])
})
