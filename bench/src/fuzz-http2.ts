import { fuzzClient, fuzzServer, type FuzzCount } from '@herald/http2/testing/fuzz'
import { randomFrom } from '@herald/http2/testing/random'
import { readOptions, say } from './options.ts'

const help = `npm run fuzz:http2 [-- --sequences 10000000 --from 0]

Mutated frame sequences, by turns against the HTTP/2 client and the server: none crashes, every request has one reply, connections end
with the right codes, memory stays bounded. The first seed is --from; a failure names its seed, and --from with it repeats the failure at once.`

const { sequences, from } = readOptions(help, { sequences: 10_000_000, from: 0 })

const mostRssMb = 1_024
const client: FuzzCount = { sequences: 0, codes: new Map() }
const server: FuzzCount = { sequences: 0, codes: new Map() }
const tell = (name: string, { sequences, codes }: FuzzCount) =>
  `${name} ${sequences} (ended with ${[...codes]
    .toSorted(([a], [b]) => a - b)
    .map(([code, times]) => `${code}: ${times}`)
    .join(', ')})`

for (let n = 0; n < sequences; n++) {
  const seed = from + n
  // Lets immediates and timers of the connections run.
  if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
  try {
    if (seed % 2 === 0) fuzzClient(randomFrom(seed), client)
    else fuzzServer(randomFrom(seed), server)
  } catch (error) {
    throw new Error(`seed ${seed}: npm run fuzz:http2 -- --sequences 1 --from ${seed}`, { cause: error })
  }
  if ((n + 1) % 100_000 !== 0 && n + 1 !== sequences) continue
  const rssMb = Math.round(process.memoryUsage().rss / 1e6)
  say(`${n + 1} of ${sequences}, ${rssMb} MB: ${tell('client', client)}, ${tell('server', server)}`)
  if (rssMb > mostRssMb) throw new Error(`${rssMb} MB of memory after ${n + 1} sequences`)
}
