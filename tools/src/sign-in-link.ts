import { z } from 'zod'

const Link = z.object({ url: z.url() })
const withinMs = 10_000

/** Prints a link that signs in to the dashboard once, and what to click first. When the link cannot be made, the platform still runs. */
export async function printSignInLink({
  baseUrl,
  adminToken,
  withDemo,
  print,
  signal,
}: {
  baseUrl: string
  adminToken: string
  withDemo: boolean
  print: (line: string) => void
  signal: AbortSignal
}): Promise<void> {
  try {
    const answer = await fetch(`${baseUrl}/v1/admin/sign-in-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
    })
    if (answer.status !== 201) throw new Error(`it answered ${answer.status}`)
    const { url } = Link.parse(await answer.json())
    print('')
    print(`Sign in to the dashboard (this link works once, for ten minutes): ${url}`)
    print(
      withDemo
        ? 'Then open the app Demo: Compose sends to its 300 virtual devices, and Inbox shows what arrives on them.'
        : 'Then name your first app: its page leads in five steps to a push that arrives.',
    )
    print('Later the administration token signs in.')
  } catch (error) {
    if (!signal.aborted) print(`There is no sign-in link: ${String(error)}. Sign in with the administration token at ${baseUrl}/dashboard`)
  }
}
