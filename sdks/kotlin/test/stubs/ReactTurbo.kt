// Stands for React Native's package com.facebook.react.turbomodule.core.interfaces.
package com.facebook.react.turbomodule.core.interfaces

interface TurboModule
