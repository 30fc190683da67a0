// Stands for the annotation that the class from React Native's generator carries.
package com.facebook.proguard.annotations

annotation class DoNotStrip
