import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../testing/serve.ts'
import { readJson } from './body.ts'
import { openBodyBudget } from './body-budget.ts'
import { respond, respondFault } from './respond.ts'
import { faultOf } from './faults.ts'

const size = 100 * 1024
const clients = 40
/** What a process has at most beside the bodies: chunks that have just arrived. */
const little = 500_000

/** Opens a server that reads bodies and clients that send all of theirs but the last byte. */
async function givenClients() {
  const budget = openBodyBudget(() => undefined)
  let begun = 0
  const port = await serve((request, response) => {
    begun += 1
    const name = `client ${begun}`
    readJson(request, { most: size, budget, owner: () => ({ name, isStranger: false }) }).then(
      () => respond(response, 200, {}),
      (error: unknown) => respondFault(response, faultOf(error)),
    )
  })
  const before = process.memoryUsage().arrayBuffers
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.resume().on('error', () => undefined)
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n${' '.repeat(size - 1)}`)
    return socket
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { sockets, taken: () => process.memoryUsage().arrayBuffers - before }
}

// spec: limits/body-budget
test('when clients that hold back the end of their bodies go, the memory of the bodies is given back at once', async () => {
  const { sockets, taken } = await givenClients()
  await expect.poll(taken).toBeGreaterThan((clients / 2) * size)

  for (const socket of sockets) socket.destroy()

  await expect.poll(taken).toBeLessThan(little)
})
