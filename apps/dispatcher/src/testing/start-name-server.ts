import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { atEnd } from '@herald/testing/at-end'

/** A DNS server on 127.0.0.1 (RFC 1035, UDP). */
export type NameServer = {
  /** `127.0.0.1:<port>`, as `Resolver.setServers` takes it. */
  address: string
  /** The names that were asked for, one entry per question. */
  asked: string[]
}

/**
 * Starts a DNS server. For a name that it `knows` it answers questions of type A with 127.0.0.1, and other questions with an empty answer. A question
 * about any other name gets no answer.
 */
export async function startNameServer(knows: (name: string) => boolean): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (message, { port, address }) => {
    const { name, end } = nameAt(message, 12)
    asked.push(name)
    if (!knows(name)) return
    const isForIpv4 = message.readUInt16BE(end) === 1
    const head = Buffer.from(message.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(isForIpv4 ? 1 : 0, 6)
    head.fill(0, 8)
    // An answer in DNS format: the name by its position in the question, type A, class IN, 60 s, four bytes of address.
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])
    socket.send(Buffer.concat([head, message.subarray(12, end + 4), ...(isForIpv4 ? [answer] : [])]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  atEnd(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, asked }
}

function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString('latin1'))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}
