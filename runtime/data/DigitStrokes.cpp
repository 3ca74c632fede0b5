#include "runtime/data/DigitStrokes.h"

#include <cassert>

namespace boostrt::data {

namespace {

constexpr bool kCorner = true;

constexpr StrokePoint kZeroA[] = {{50, 10}, {30, 22}, {24, 50},
                                  {32, 80}, {50, 90}, {68, 80},
                                  {76, 50}, {68, 20}, {50, 10}};
constexpr Stroke kZeroStyleA[] = {kZeroA};
constexpr StrokePoint kZeroB[] = {{62, 14}, {42, 12}, {28, 36}, {26, 66},
                                  {40, 88}, {60, 82}, {72, 56}, {70, 28},
                                  {54, 12}, {44, 18}};
constexpr Stroke kZeroStyleB[] = {kZeroB};
constexpr StrokePoint kZeroC[] = {{50, 18}, {26, 30}, {20, 55},
                                  {34, 80}, {56, 84}, {78, 66},
                                  {78, 38}, {60, 20}, {48, 18}};
constexpr Stroke kZeroStyleC[] = {kZeroC};
constexpr DigitStyle kZero[] = {kZeroStyleA, kZeroStyleB, kZeroStyleC};

constexpr StrokePoint kOneA[] = {{52, 8}, {50, 50}, {48, 92}};
constexpr Stroke kOneStyleA[] = {kOneA};
constexpr StrokePoint kOneB[] = {
    {36, 26}, {54, 8, kCorner}, {54, 50}, {54, 92}};
constexpr Stroke kOneStyleB[] = {kOneB};
constexpr StrokePoint kOneC1[] = {
    {36, 24}, {52, 8, kCorner}, {52, 50}, {52, 90}};
constexpr StrokePoint kOneC2[] = {{34, 91}, {52, 90}, {72, 91}};
constexpr Stroke kOneStyleC[] = {kOneC1, kOneC2};
constexpr DigitStyle kOne[] = {kOneStyleA, kOneStyleB, kOneStyleC};

constexpr StrokePoint kTwoA[] = {{28, 30},          {36, 13}, {54, 9},
                                 {70, 22},          {66, 44}, {46, 68},
                                 {26, 90, kCorner}, {50, 88}, {76, 90}};
constexpr Stroke kTwoStyleA[] = {kTwoA};
constexpr StrokePoint kTwoB[] = {{26, 26}, {40, 10}, {62, 12}, {70, 32},
                                 {58, 56}, {38, 80}, {26, 88}, {26, 76},
                                 {38, 74}, {56, 86}, {78, 86}};
constexpr Stroke kTwoStyleB[] = {kTwoB};
constexpr StrokePoint kTwoC[] = {{28, 16}, {52, 10},          {70, 20},
                                 {66, 40}, {28, 88, kCorner}, {74, 88}};
constexpr Stroke kTwoStyleC[] = {kTwoC};
constexpr DigitStyle kTwo[] = {kTwoStyleA, kTwoStyleB, kTwoStyleC};

constexpr StrokePoint kThreeA[] = {
    {28, 18}, {48, 8},  {68, 18}, {66, 38}, {46, 48, kCorner},
    {68, 56}, {74, 74}, {58, 90}, {36, 90}, {24, 78}};
constexpr Stroke kThreeStyleA[] = {kThreeA};
constexpr StrokePoint kThreeB[] = {
    {28, 10}, {70, 10, kCorner}, {46, 42, kCorner}, {68, 52},
    {74, 72}, {58, 90},          {36, 90},          {24, 80}};
constexpr Stroke kThreeStyleB[] = {kThreeB};
constexpr StrokePoint kThreeC[] = {{28, 20}, {46, 8},  {64, 18}, {62, 36},
                                   {46, 46}, {50, 50}, {68, 60}, {70, 78},
                                   {52, 92}, {30, 86}};
constexpr Stroke kThreeStyleC[] = {kThreeC};
constexpr DigitStyle kThree[] = {kThreeStyleA, kThreeStyleB, kThreeStyleC};

constexpr StrokePoint kFourA1[] = {
    {32, 10}, {28, 36}, {26, 54, kCorner}, {50, 54}, {78, 52}};
constexpr StrokePoint kFourA2[] = {{66, 10}, {64, 50}, {62, 92}};
constexpr Stroke kFourStyleA[] = {kFourA1, kFourA2};
constexpr StrokePoint kFourB1[] = {{60, 8}, {22, 62, kCorner}, {80, 62}};
constexpr StrokePoint kFourB2[] = {{60, 8}, {60, 50}, {60, 92}};
constexpr Stroke kFourStyleB[] = {kFourB1, kFourB2};
constexpr StrokePoint kFourC1[] = {
    {34, 12}, {28, 34}, {36, 50}, {54, 50}, {68, 36}};
constexpr StrokePoint kFourC2[] = {{70, 10}, {66, 48}, {60, 92}};
constexpr Stroke kFourStyleC[] = {kFourC1, kFourC2};
constexpr DigitStyle kFour[] = {kFourStyleA, kFourStyleB, kFourStyleC};

constexpr StrokePoint kFiveA[] = {
    {70, 10}, {34, 12, kCorner}, {30, 44, kCorner}, {52, 38},
    {72, 54}, {70, 78},          {48, 92},          {26, 84}};
constexpr Stroke kFiveStyleA[] = {kFiveA};
constexpr StrokePoint kFiveB1[] = {{36, 12}, {32, 44, kCorner}, {54, 40},
                                   {72, 58}, {66, 82},          {44, 92},
                                   {26, 82}};
constexpr StrokePoint kFiveB2[] = {{36, 12}, {54, 12}, {74, 9}};
constexpr Stroke kFiveStyleB[] = {kFiveB1, kFiveB2};
constexpr StrokePoint kFiveC[] = {{70, 14}, {50, 10}, {36, 20},
                                  {36, 40}, {54, 46}, {70, 60},
                                  {66, 82}, {44, 92}, {26, 84}};
constexpr Stroke kFiveStyleC[] = {kFiveC};
constexpr DigitStyle kFive[] = {kFiveStyleA, kFiveStyleB, kFiveStyleC};

constexpr StrokePoint kSixA[] = {{64, 10}, {44, 24}, {30, 50}, {28, 74},
                                 {42, 90}, {62, 88}, {72, 72}, {60, 56},
                                 {42, 58}, {29, 72}};
constexpr Stroke kSixStyleA[] = {kSixA};
constexpr StrokePoint kSixB[] = {{44, 8},  {32, 36}, {28, 66},
                                 {38, 88}, {60, 90}, {72, 74},
                                 {62, 58}, {44, 60}, {31, 72}};
constexpr Stroke kSixStyleB[] = {kSixB};
constexpr StrokePoint kSixC[] = {{68, 18}, {54, 9},  {36, 26}, {27, 56},
                                 {34, 84}, {54, 92}, {70, 80}, {68, 62},
                                 {50, 56}, {32, 68}};
constexpr Stroke kSixStyleC[] = {kSixC};
constexpr DigitStyle kSix[] = {kSixStyleA, kSixStyleB, kSixStyleC};

constexpr StrokePoint kSevenA[] = {
    {26, 14}, {50, 12}, {74, 12, kCorner}, {58, 48}, {44, 92}};
constexpr Stroke kSevenStyleA[] = {kSevenA};
constexpr StrokePoint kSevenB1[] = {
    {26, 14}, {50, 12}, {74, 12, kCorner}, {58, 48}, {44, 92}};
constexpr StrokePoint kSevenB2[] = {{36, 52}, {52, 51}, {66, 50}};
constexpr Stroke kSevenStyleB[] = {kSevenB1, kSevenB2};
constexpr StrokePoint kSevenC[] = {
    {26, 26}, {28, 12, kCorner}, {74, 12, kCorner}, {56, 44}, {48, 92}};
constexpr Stroke kSevenStyleC[] = {kSevenC};
constexpr StrokePoint kSevenD[] = {{24, 18},          {40, 12}, {60, 16},
                                   {74, 12, kCorner}, {54, 40}, {46, 68},
                                   {44, 92}};
constexpr Stroke kSevenStyleD[] = {kSevenD};
constexpr DigitStyle kSeven[] = {kSevenStyleA, kSevenStyleB, kSevenStyleC,
                                 kSevenStyleD};

constexpr StrokePoint kEightA[] = {{66, 20}, {50, 9},  {34, 20}, {38, 38},
                                   {56, 52}, {70, 70}, {60, 89}, {42, 90},
                                   {30, 74}, {42, 54}, {62, 38}, {66, 20}};
constexpr Stroke kEightStyleA[] = {kEightA};
constexpr StrokePoint kEightB1[] = {{50, 9},  {34, 20}, {38, 40}, {50, 46},
                                    {64, 38}, {66, 20}, {50, 9}};
constexpr StrokePoint kEightB2[] = {{50, 46}, {30, 62}, {32, 82}, {50, 92},
                                    {70, 82}, {70, 60}, {50, 46}};
constexpr Stroke kEightStyleB[] = {kEightB1, kEightB2};
constexpr StrokePoint kEightC[] = {{70, 16}, {50, 10}, {34, 22}, {42, 42},
                                   {60, 54}, {70, 74}, {54, 91}, {34, 84},
                                   {34, 66}, {52, 48}, {68, 30}, {72, 18}};
constexpr Stroke kEightStyleC[] = {kEightC};
constexpr DigitStyle kEight[] = {kEightStyleA, kEightStyleB, kEightStyleC};

constexpr StrokePoint kNineA[] = {{68, 26}, {54, 10}, {36, 16},
                                  {30, 34}, {42, 48}, {60, 42},
                                  {69, 24}, {68, 56}, {64, 92}};
constexpr Stroke kNineStyleA[] = {kNineA};
constexpr StrokePoint kNineB[] = {{66, 20},          {48, 9},  {31, 22},
                                  {34, 42},          {52, 48}, {67, 34},
                                  {70, 14, kCorner}, {68, 50}, {66, 92}};
constexpr Stroke kNineStyleB[] = {kNineB};
constexpr StrokePoint kNineC[] = {{66, 24}, {50, 9},  {32, 20}, {34, 40},
                                  {52, 46}, {67, 30}, {70, 44}, {66, 74},
                                  {50, 91}, {32, 86}};
constexpr Stroke kNineStyleC[] = {kNineC};
constexpr DigitStyle kNine[] = {kNineStyleA, kNineStyleB, kNineStyleC};

constexpr std::span<const DigitStyle> kDigits[10] = {
    kZero, kOne, kTwo, kThree, kFour, kFive, kSix, kSeven, kEight, kNine};

} // namespace

std::span<const DigitStyle> digitStyles(int32_t digit) {
  assert(digit >= 0 && digit < 10);
  return kDigits[digit];
}

} // namespace boostrt::data
