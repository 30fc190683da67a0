/**
 * Gathers single items into calls. The first item goes at once. While calls are under way, items gather until there
 * are `enough` or the oldest has waited `patienceMs`. So a lone push does not wait and a busy sender makes few large calls.
 * Up to `callsAtOnce` calls run side by side, so a call that hangs holds up no others.
 */
export function gather<Item>(
  call: (items: Item[]) => Promise<void>,
  { most, enough, patienceMs, callsAtOnce }: { most: number; enough: number; patienceMs: number; callsAtOnce: number },
): (item: Item) => void {
  let waiting: Item[] = []
  let underWay = 0
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  const start = () => {
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0 && underWay < callsAtOnce) {
      const taken = waiting.slice(0, most)
      waiting = waiting.slice(most)
      underWay += 1
      void call(taken).finally(() => {
        underWay -= 1
        if (waiting.length > 0) start()
      })
    }
  }

  /** Runs at the end of a turn of the event loop, so that the items of one turn go together. */
  const look = () => {
    turn = undefined
    if (underWay === 0 || waiting.length >= enough) start()
    else timer ??= setTimeout(start, patienceMs)
  }

  return (item) => {
    waiting.push(item)
    turn ??= setImmediate(look)
  }
}
