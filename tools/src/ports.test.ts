import { isPortFree } from '@herald/embedded/free-port'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { holdGatewayPort, pickPorts, pickSimulatorPorts } from './ports.ts'

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

/** Listens like a gateway, with a shared port: a second gateway on it would not be refused. */
async function takenPort(): Promise<number> {
  const server = createServer()
  servers.push(server)
  server.listen({ port: 0, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

// spec: running/ports
test('a port on which another Herald listens counts as taken, and the error says what to set', async () => {
  const port = await takenPort()

  await expect(holdGatewayPort(String(port), '127.0.0.1')).rejects.toThrow(
    `Port ${port} is taken by another program (EADDRINUSE). Set PORT to another one, or PORT=0`,
  )
})

// spec: running/ports
test('PORT=0 picks a free port; a PORT that is no port and a HOST that is not this machine are refused', async () => {
  const held = await holdGatewayPort('0', '127.0.0.1')
  expect(held.port).toBeGreaterThan(0)
  held.close()
  await expect(holdGatewayPort('http', '127.0.0.1')).rejects.toThrow('PORT must be a number')
  await expect(holdGatewayPort('8080', '192.0.2.1')).rejects.toThrow('Cannot listen on 192.0.2.1:8080 (EADDRNOTAVAIL). Set HOST')
})

test('the simulator keeps its ports, except one that is taken now', async () => {
  const first = await pickSimulatorPorts()
  expect(new Set(Object.values(first)).size).toBe(6)
  const taken = await takenPort()

  const second = await pickSimulatorPorts({ ...first, apns: taken })
  // A test of another file may have one of the ports by now.
  const kept: string[] = []
  for (const [name, port] of Object.entries(first))
    if (name === 'apns' || second[name] === port || !(await isPortFree(port))) kept.push(name)
  expect(kept.toSorted()).toEqual(Object.keys(first).toSorted())
  expect(second['apns']).not.toBe(taken)
})

test('a new process gets a port of its own, and the others keep theirs', async () => {
  const first = await pickPorts(['gateway-1', 'dispatcher-1'])
  const second = await pickPorts(['gateway-1', 'dispatcher-1', 'dispatcher-2'], first)

  expect(second).toMatchObject(first)
  expect(new Set(Object.values(second)).size).toBe(3)
})
