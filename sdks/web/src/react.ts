import { createContext, createElement, useContext, useSyncExternalStore, type ReactNode } from 'react'
import { init } from './index.ts'
import type { Options } from './options.ts'
import type { Herald } from './page.ts'
import { watchPush, type Push, type Watch } from './watch-push.ts'

export type { Push } from './watch-push.ts'

const Context = createContext<Watch | undefined>(undefined)

type Props = { children?: ReactNode } & ({ herald: Herald } | { options: Options })

/** Gives the components below it Herald: what `init` gave, or the options for `init`. It renders on a server too, where nothing is known yet. */
export function HeraldProvider({ children, ...given }: Props): ReactNode {
  const herald = 'herald' in given ? given.herald : init(given.options)
  return createElement(Context.Provider, { value: watchPush(herald) }, children)
}

/** Gives Herald and its state, and renders again when the state changes. Throws without a HeraldProvider above. */
export function usePush(): Push {
  const watch = useContext(Context)
  if (!watch) throw new Error('usePush needs a <HeraldProvider> above it.')
  return useSyncExternalStore(watch.listen, watch.get, () => watch.first)
}
