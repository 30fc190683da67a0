import { isPortFree } from '@herald/embedded/free-port'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { holdGatewayPort, pickPorts, pickSimulatorPorts } from './ports.ts'

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

/** Listens on a shared port as a gateway does. A second gateway could listen on the same port without an error. */
async function takenPort(): Promise<number> {
  const server = createServer()
  servers.push(server)
  server.listen({ port: 0, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

// spec: running/ports
test('a port on which another Herald listens counts as taken, and the error says which setting to change', async () => {
  const port = await takenPort()

  await expect(holdGatewayPort(String(port), '127.0.0.1')).rejects.toThrow(
    `Port ${port} is taken by another program (EADDRINUSE). Set PORT to another one, or PORT=0`,
  )
})

// spec: running/ports
test('with PORT=0 a free port is chosen; a wrong PORT and a foreign HOST are refused', async () => {
  const held = await holdGatewayPort('0', '127.0.0.1')
  expect(held.port).toBeGreaterThan(0)
  held.close()
  await expect(holdGatewayPort('http', '127.0.0.1')).rejects.toThrow('PORT must be a number')
  await expect(holdGatewayPort('8080', '192.0.2.1')).rejects.toThrow('Cannot listen on 192.0.2.1:8080 (EADDRNOTAVAIL). Set HOST')
})

test('the simulator has the same ports at each start, except a port that another program has taken', async () => {
  const first = await pickSimulatorPorts()
  expect(new Set(Object.values(first)).size).toBe(6)
  const taken = await takenPort()

  const second = await pickSimulatorPorts({ ...first, apns: taken })
  // The test of another file may have taken one of the ports by now.
  const kept: string[] = []
  for (const [name, port] of Object.entries(first))
    if (name === 'apns' || second[name] === port || !(await isPortFree(port))) kept.push(name)
  expect(kept.toSorted()).toEqual(Object.keys(first).toSorted())
  expect(second['apns']).not.toBe(taken)
})

test('a new process gets a free port, and the others keep their ports', async () => {
  const first = await pickPorts(['gateway-1', 'dispatcher-1'])
  const second = await pickPorts(['gateway-1', 'dispatcher-1', 'dispatcher-2'], first)

  expect(second).toMatchObject(first)
  expect(new Set(Object.values(second)).size).toBe(3)
})
