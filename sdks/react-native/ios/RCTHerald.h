#import <HeraldSpec/HeraldSpec.h>

NS_ASSUME_NONNULL_BEGIN

/** Herald for React Native: the base class is generated from src/NativeHerald.ts. */
@interface RCTHerald : NativeHeraldSpecBase <NativeHeraldSpec>
@end

NS_ASSUME_NONNULL_END
