/** The part of React Native's types that this package uses, so that its check needs no installation of React Native. */
declare module 'react-native' {
  export interface TurboModule {
    getConstants?(): object
  }
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- React Native has it so.
  export const TurboModuleRegistry: { getEnforcing<Module extends TurboModule>(name: string): Module }
  export const AppState: { addEventListener(type: 'change', handler: (state: string) => void): { remove(): void } }
  // oxlint-disable-next-line typescript/no-namespace -- React Native has it as a namespace.
  export namespace CodegenTypes {
    type UnsafeObject = object
    type EventEmitter<Event> = (handler: (event: Event) => void) => { remove(): void }
  }
}
