import type { CodegenTypes, TurboModule } from 'react-native'
import { TurboModuleRegistry } from 'react-native'

export type NativeEvent = { name: string; event: CodegenTypes.UnsafeObject }

/** The native module. React Native generates its base classes from this file (https://reactnative.dev/docs/the-new-architecture/using-codegen). */
export interface Spec extends TurboModule {
  call(name: string, given: CodegenTypes.UnsafeObject): Promise<CodegenTypes.UnsafeObject>
  readonly onEvent: CodegenTypes.EventEmitter<NativeEvent>
}

export default TurboModuleRegistry.getEnforcing<Spec>('Herald')
