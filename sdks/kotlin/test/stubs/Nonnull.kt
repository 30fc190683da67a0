// Stands for the annotation that the class from React Native's generator carries.
package javax.annotation

@Target(AnnotationTarget.FUNCTION, AnnotationTarget.TYPE, AnnotationTarget.VALUE_PARAMETER) annotation class Nonnull
