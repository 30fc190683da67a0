// A library module for Android. docs/guide/android.md says how an app includes it. No Android build tools were there to run it.
plugins {
  id("com.android.library") version "8.13.0"
  id("org.jetbrains.kotlin.android") version "2.2.20"
}

group = "dev.herald"

version = "0.2.0"

android {
  namespace = "dev.herald.android"
  compileSdk = 36
  defaultConfig { minSdk = 24 }
  compileOptions {
    sourceCompatibility = JavaVersion.VERSION_17
    targetCompatibility = JavaVersion.VERSION_17
  }
}

kotlin { jvmToolchain(17) }

dependencies {
  // The first with installation ids: https://firebase.google.com/support/release-notes/android#messaging_v25-1-0
  implementation("com.google.firebase:firebase-messaging:25.1.0")
}
