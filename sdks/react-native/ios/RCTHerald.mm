#import "RCTHerald.h"

#if __has_include(<HeraldReactNative/HeraldReactNative-Swift.h>)
#import <HeraldReactNative/HeraldReactNative-Swift.h>
#else
#import "HeraldReactNative-Swift.h"
#endif

@implementation RCTHerald

+ (NSString *)moduleName
{
  return @"Herald";
}

- (std::shared_ptr<facebook::react::TurboModule>)getTurboModule:(const facebook::react::ObjCTurboModule::InitParams &)params
{
  return std::make_shared<facebook::react::NativeHeraldSpecJSI>(params);
}

- (void)call:(NSString *)name given:(NSDictionary *)given resolve:(RCTPromiseResolveBlock)resolve reject:(RCTPromiseRejectBlock)reject
{
  if ([name isEqualToString:@"listen"]) {
    __weak RCTHerald *weakSelf = self;
    dispatch_async(dispatch_get_main_queue(), ^{
      [HeraldPushes.shared listen:^(NSString *event, NSDictionary<NSString *, id> *about) {
        [weakSelf emitOnEvent:@{@"name" : event, @"event" : about}];
      }];
    });
    resolve(@{});
    return;
  }
  [HeraldPushes.shared call:name
                      given:given
                       done:^(id answer, NSString *code, NSString *message, NSInteger status) {
    if (code == nil) {
      resolve(answer == nil ? @{} : @{@"answer" : answer});
      return;
    }
    reject(code, message, [NSError errorWithDomain:@"Herald" code:status userInfo:@{@"status" : @(status)}]);
  }];
}

@end
