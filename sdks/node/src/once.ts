type DenoGlobal = { Deno?: { createHttpClient?: (options: { poolMaxIdlePerHost: number }) => unknown } }

let init: RequestInit | undefined

/**
 * Options that keep a runtime from sending a request twice by itself. Bun (1.4) and Deno (2.9) do so without a word when a connection that was kept
 * from an earlier request is closed before an answer; on a connection of its own a request is sent once. Other runtimes ignore them.
 */
export function onConnectionOfItsOwn(): RequestInit {
  const client = init ? undefined : (globalThis as DenoGlobal).Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
  init ??= { keepalive: false, ...(client === undefined ? {} : { client }) }
  return init
}
