package dev.herald.reactnative

import com.facebook.react.BaseReactPackage
import com.facebook.react.bridge.NativeModule
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.module.model.ReactModuleInfo
import com.facebook.react.module.model.ReactModuleInfoProvider

/** Gives React Native the module (https://reactnative.dev/docs/turbo-native-modules-introduction). */
class HeraldPackage : BaseReactPackage() {
  override fun getModule(name: String, reactContext: ReactApplicationContext): NativeModule? =
    if (name == HeraldModule.NAME) HeraldModule(reactContext) else null

  override fun getReactModuleInfoProvider() = ReactModuleInfoProvider {
    val name = HeraldModule.NAME
    mapOf(
      name to
        ReactModuleInfo(
          name = name,
          className = name,
          canOverrideExistingModule = false,
          needsEagerInit = false,
          isCxxModule = false,
          isTurboModule = true,
        )
    )
  }
}
