import { connect } from 'node:net'
import { splitNatsUrl } from '@herald/service/config'
import { StartError } from './start-error.ts'

/** Reading the first line of a server ends after this many characters, even when no end of line has come. */
const longestGreeting = 10_000

/**
 * Checks that one of the servers in a NATS_URL (comma-separated) accepts a connection. Fails with a sentence for the operator when none does. Prints
 * a warning when a server accepts clients without a user.
 */
export async function checkNats(natsUrl: string, print: (line: string) => void): Promise<void> {
  const servers = splitNatsUrl(natsUrl)
  if (!servers)
    throw new StartError(
      'NATS_URL must be nats://host:4222 or tls://name:4222, or several with commas between, without a user and a password.',
    )
  const hosts = servers.map((server) => new URL(server))
  const greetings = await Promise.all(hosts.map(({ hostname, port }) => greetingOf(hostname, Number(port || 4222))))
  if (greetings.every((greeting) => greeting === undefined))
    throw new StartError(
      `No nats-server answers at ${hosts.map(({ host }) => host).join(', ')} (NATS_URL). Start it with JetStream on, or leave NATS_URL out.`,
    )
  if (greetings.some((greeting) => greeting?.startsWith('INFO ') && !/"auth_required":\s*true/.test(greeting)))
    print(
      'Warning: the NATS of NATS_URL has no users. Whoever reaches it can ask for provider tokens and device tokens. docs/operations.md, NATS, gives it users.',
    )
}

/**
 * Reads the first line that a nats-server sends. It is empty when the server accepts the connection and sends nothing within 3 s, and undefined when
 * the server does not accept.
 */
function greetingOf(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let greeting: string | undefined
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: 3_000 }, () => (greeting = ''))
    const end = () => {
      socket.destroy()
      resolve(greeting)
    }
    socket.setEncoding('utf8').on('data', (text: string) => {
      greeting += text
      if (text.includes('\n') || (greeting ?? '').length > longestGreeting) end()
    })
    socket.once('error', end)
    socket.once('close', end)
    socket.once('timeout', end)
  })
}
