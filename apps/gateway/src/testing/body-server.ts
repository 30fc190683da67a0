// Run as a process of its own, so that no other test's memory is measured: a server that reads bodies of 100 KiB. It says its port, and how many bytes its
// buffers hold when it is asked.
import { openBodyBudget } from '../http/body-budget.ts'
import { readJson } from '../http/body.ts'
import { faultOf } from '../http/faults.ts'
import { respond, respondFault } from '../http/respond.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const budget = openBodyBudget(() => undefined)
let begun = 0
const server = createServer((request, response) => {
  begun += 1
  const name = `client ${begun}`
  readJson(request, { most: 100 * 1024, budget, owner: () => ({ name, isStranger: false }) }).then(
    () => respond(response, 200, {}),
    (error: unknown) => respondFault(response, faultOf(error)),
  )
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => process.send?.({ buffers: process.memoryUsage().arrayBuffers }))
// What was read at the start is garbage by now, and would be missed later.
globalThis.gc?.()
